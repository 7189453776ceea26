import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Responses with a part of the body, or with none, at each destination.
@Suite(.timeLimit(.minutes(1)))
struct PartTests {
    enum Place: CaseIterable, Sendable {
        case memory, file, stream
    }

    private let server: LoopbackServer
    private let folder: TestFolder

    init() throws {
        server = try LoopbackServer()
        folder = try TestFolder()
    }

    private var file: URL { folder.url.appending(path: "part") }

    private func request(_ range: String?, to place: Place) -> HttpRequest {
        let destination: BodyDestination =
            switch place {
            case .memory: .memory
            case .file: .file(file)
            case .stream: .stream
            }
        var request = server.request(options: RequestOptions(destination: destination))
        if let range { request.headers["Range"] = range }
        return request
    }

    /// The body, wherever it is.
    private func body(_ response: HttpResponse) async throws -> String {
        var bytes = response.data
        if let file = response.file { bytes = try Data(contentsOf: file) }
        if let stream = response.bytes {
            for try await piece in stream { bytes += piece }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func serve(_ text: String, _ range: String, status: Int = 200) {
        server.on(.get, "/", respond: .text(text, status: status).header("Content-Range", range))
    }

    @Test(arguments: SenderKind.allCases, Place.allCases)
    func aPartThatIsSaidToBeWholeIsAPart(kind: SenderKind, place: Place) async throws {
        serve("fghij", "bytes 5-9/20")
        for range in ["bytes=5-9", "bytes=5-", "bytes=5-100", "Bytes=0-1, 5-9"] {
            let response = try await kind.sender().send(request(range, to: place))
            #expect(response.status == 206, "\(range)")
            #expect(try await body(response) == "fghij")
        }
        serve("qrst", "bytes 16-19/20", status: 203)
        let response = try await kind.sender().send(request("bytes=-4", to: place))
        #expect(response.status == 206)
    }

    @Test(
        arguments: SenderKind.allCases,
        [
            ("bytes=5-", "bytes 4-8/20"), ("bytes=5-", "bytes 6-10/20"), ("bytes=5-6", "bytes 5-9/20"),
            ("bytes=-4", "bytes 5-9/20"), ("bytes=-4", "bytes 15-19/20"), ("bytes=5-", "bytes */5"),
            ("bytes=5-", "bytes 5-9"), ("bytes=5-", "bytes 9-5/20"), ("bytes=5-", "bytes 5-9/7"),
        ])
    func anotherPartThatIsSaidToBeWholeIsInvalid(kind: SenderKind, part: (asked: String, sent: String)) async throws {
        serve("fghij", part.sent)
        for place in Place.allCases {
            #expect(try await kind.sender().failure(request(part.asked, to: place)) == .invalidResponse, "\(part)")
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(
        arguments: SenderKind.allCases,
        [
            ("bytes=5-", "bytes 0-4/5"), (nil, "bytes 5-9/20"), ("items=5-9", "items 5-9/20"),
            ("bytes=5-", "items 5-9/20"), ("bytes=5-", "0-4/20"),
        ])
    func aWholeBodyStaysOneWhateverItsContentRangeCounts(
        kind: SenderKind, part: (asked: String?, sent: String)
    ) async throws {
        serve("abcde", part.sent)
        for place in Place.allCases {
            let response = try await kind.sender().send(request(part.asked, to: place))
            #expect(response.status == 200, "\(part)")
            #expect(try await body(response) == "abcde")
        }
    }

    @Test(arguments: SenderKind.allCases)
    func aPartHasTheLengthThatItsContentRangeSays(kind: SenderKind) async throws {
        for text in ["fghi", "fghijk"] {
            server.on(
                .get, "/",
                respond: LoopbackResponse(
                    status: 200, headers: ["Content-Range": "bytes 5-9/20"], body: .chunks([Array(text.utf8)])))
            #expect(try await kind.sender().failure(request("bytes=5-9", to: .memory)) == .invalidResponse)
        }
    }

    @Test(arguments: SenderKind.allCases, Place.allCases)
    func aPartThatWasNotRequestedIsInvalid(kind: SenderKind, place: Place) async throws {
        serve("fghij", "bytes 5-9/20", status: 206)
        #expect(try await kind.sender().failure(request(nil, to: place)) == .invalidResponse)
    }

    // MARK: Codings

    /// "hello", compressed, and what its first bytes decode to.
    private static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0, 0, 0,
    ]

    @Test(arguments: SenderKind.allCases)
    func aPartIsRequestedWithoutACoding(kind: SenderKind) async throws {
        server.on(.get, "/") { .text($0.headers["Accept-Encoding"] ?? "none", status: 206) }
        #expect(try await kind.sender().send(request("bytes=0-", to: .memory)).text == "identity")
        var own = request("bytes=0-", to: .memory)
        own.headers["Accept-Encoding"] = "br"
        #expect(try await kind.sender().send(own).text == "br")
    }

    @Test(arguments: SenderKind.withoutFoundationNetworking, Place.allCases)
    func aPartOfACompressedBodyArrivesAsItIs(kind: SenderKind, place: Place) async throws {
        // The whole, its beginning, and a middle, which is no compressed data; declared as a part or not.
        for part in [0..<25, 0..<14, 11..<20] {
            for status in [200, 206] where status == 206 || part.count < 25 {
                server.on(
                    .get, "/",
                    respond: .bytes(Array(Self.gzip[part]), status: status).header("Content-Encoding", "gzip")
                        .header("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/25"))
                let response = try await kind.sender().send(request("bytes=\(part.lowerBound)-", to: place))
                #expect(response.status == 206)
                #expect(response.headers["Content-Encoding"] == "gzip")
                var bytes = response.data
                if let file = response.file { bytes = try Data(contentsOf: file) }
                if let stream = response.bytes {
                    for try await piece in stream { bytes += piece }
                }
                #expect(Array(bytes) == Array(Self.gzip[part]))
            }
        }
    }

    @Test(arguments: Place.allCases)
    func aPartThatUrlSessionWouldDecodeIsAnError(place: Place) async throws {
        for part in [0..<25, 0..<14, 11..<20] {
            server.on(
                .get, "/",
                respond: .bytes(Array(Self.gzip[part]), status: 206).header("Content-Encoding", "gzip")
                    .header("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/25"))
            let sender = try SenderKind.urlSession.sender()
            let code = await sender.failure(request("bytes=\(part.lowerBound)-", to: place))
            #expect(code == .invalidContentEncoding, "\(part)")
        }
    }

    // MARK: No content

    @Test(arguments: SenderKind.allCases, Place.allCases)
    func aResetContentHasNone(kind: SenderKind, place: Place) async throws {
        for answer in [
            LoopbackResponse.text("leftover", status: 205),
            .text("no gzip", status: 205, headers: ["Content-Encoding": "gzip"]),
            .status(205), LoopbackResponse(status: 205, body: .chunks([Array("left".utf8), Array("over".utf8)])),
        ] {
            server.on(.get, "/", respond: answer)
            server.on(.get, "/next", respond: .text("next"))
            if kind == .urlSession, answer.headers["Content-Encoding"] != nil { continue }
            let sender = try kind.sender()
            let response = try await sender.send(request(nil, to: place))
            #expect(response.status == 205)
            #expect(response.file == nil)
            #expect((response.bytes != nil) == (place == .stream))
            #expect(try await body(response) == "")
            #expect(try await sender.send(server.request(.get, "/next")).text == "next")
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test(arguments: SenderKind.allCases)
    func aResetContentWithoutAnEndMeetsTheLimit(kind: SenderKind) async throws {
        server.on(
            .get, "/",
            respond: LoopbackResponse(status: 205, body: .endlessChunks(Array(repeating: 1, count: 4096)))
                .dripping(4096, every: .milliseconds(1)))
        let sender = try kind.sender { $0.limits.responseSize = 10_000 }
        #expect(await sender.failure(request(nil, to: .memory)) == .responseTooLarge)
    }
}
