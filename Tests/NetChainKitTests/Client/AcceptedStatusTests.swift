import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Successes that a client doesn't accept: their bodies are those of errors.
@Suite(.timeLimit(.minutes(1)))
struct AcceptedStatusTests {
    private struct Problem: Codable, Equatable {
        var code: Int
    }

    enum Kind: CaseIterable {
        case network, scripted, cached, byMiddleware
    }

    private let server: LoopbackServer
    private let folder: TestFolder

    init() throws {
        server = try LoopbackServer()
        folder = try TestFolder()
    }

    /// A client whose server responds with a 203 that isn't accepted.
    private func api(_ kind: Kind) -> ApiClient {
        let response = LoopbackResponse.json(#"{"code": 7}"#, status: 203).header("Cache-Control", "max-age=60")
        server.on(.get, "/film", respond: response)
        var api = ApiClient(server.url("/")).log(to: .silent).acceptedStatuses(.range(200...202))
        switch kind {
        case .network: break
        case .scripted: api = api.sender(ScriptedRequestSender { $0.respond(response) })
        case .cached: api = api.cache(HttpCache(memory: 1 << 20))
        case .byMiddleware: api = api.middleware { request, next in try await next(request) }
        }
        return api
    }

    @Test(arguments: Kind.allCases)
    func aDownloadLeavesTheFile(kind: Kind) async throws {
        let file = try folder.file("film", "old".utf8)
        let api = api(kind)
        for resuming in [false, true, false] {
            let error = try #require(
                await thrown(HttpError.self) {
                    _ = try await api.get("film").download(to: file, resuming: resuming)
                })
            #expect(error.statusCode == 203 && error.response.file == nil)
            #expect(try error.decodeBody(as: Problem.self) == Problem(code: 7))
            #expect(try Data(contentsOf: file) == Data("old".utf8))
        }
    }

    @Test(arguments: Kind.allCases)
    func aStreamIsReadIntoTheError(kind: Kind) async throws {
        let api = api(kind).mapErrors(as: Problem.self)
        for _ in 1...2 {
            let error = try #require(
                await thrown(ApiError<Problem>.self) { _ = try await api.get("film").stream() })
            #expect(error.problem == Problem(code: 7) && error.response.bytes == nil)
        }
    }

    @Test func aRetryOfAStreamGetsThePlaceOfTheLimit() async throws {
        // More than the buffer of a stream.
        let later = String(repeating: "later ", count: 1_000_000)
        server.on(.get, "/film", inOrder: [.text(later, status: 202), .text("film")])
        let api = ApiClient(server.url("/")).log(to: .silent).acceptedStatuses(.range(200...201))
            .concurrencyLimit(1).retry(.constant(.zero, alsoOn: [202])).deadline(.seconds(10))
        var text = Data()
        for try await piece in try await api.get("film").stream() { text += piece }
        #expect(text == Data("film".utf8))
    }

    @Test func aBuilderHasThemToo() async throws {
        _ = api(.network)
        let file = try folder.file("film", "old".utf8)
        let builder = UrlChainsBuilder<URL>().quiet().route(.get, server.url("/film"))
            .acceptedStatuses(.range(200...202))
        let download: Node<Void, ApiResponse<URL>> = builder.download(to: file)
        let error = await thrown(HttpError.self) { _ = try await download.execute() }
        #expect(error?.response.data == Data(#"{"code": 7}"#.utf8))
        #expect(try Data(contentsOf: file) == Data("old".utf8))
    }
}
