import HttpMessages
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Clients that decode bodies, and clients that don't, with one cache.
@Suite struct EncodedBodyTests {
    private let lab = CacheLab()

    private func sender(decodes: Bool, _ encoding: String? = "gzip") -> CachingSender {
        CachingSender(next: EncodingServer(decodes: decodes, encoding: encoding), cache: lab.cache)
    }

    @Test(arguments: [false, true])
    func noClientGetsABodyInTheFormOfAnother(_ decodesFirst: Bool) async throws {
        let (first, second) = (sender(decodes: decodesFirst), sender(decodes: !decodesFirst))
        _ = try await first.send(lab.request())
        let response = try await second.send(lab.request())
        #expect(response.cache == .miss && response.text == (decodesFirst ? "encoded" : "decoded"))
        #expect(try await sender(decodes: true).send(lab.request()).text == "decoded")
        #expect(try await sender(decodes: false).send(lab.request()).text == "encoded")
    }

    @Test func whatIsNotEncodedIsForBoth() async throws {
        _ = try await sender(decodes: false, nil).send(lab.request())
        #expect(try await sender(decodes: true, nil).send(lab.request()).cache?.isStored == true)
    }

    @Test func theTraitIsThatOfTheConfiguration() {
        var configuration = CurlConfiguration()
        #expect(configuration.makeTraits().decodesBodies)
        configuration.compression = false
        #expect(!configuration.makeTraits().decodesBodies)
    }
}

/// A server that encodes what no client asked for.
private struct EncodingServer: TraitDeclaring {
    let decodes: Bool
    let encoding: String?

    var traits: SenderTraits {
        var traits = SenderTraits()
        traits.decodesBodies = decodes
        return traits
    }

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        var response = HttpResponse(
            request: request, status: 200, headers: ["Cache-Control": "public, max-age=60"],
            data: Data((decodes ? "decoded" : "encoded").utf8))
        response.headers["Content-Encoding"] = encoding
        return response
    }
}
