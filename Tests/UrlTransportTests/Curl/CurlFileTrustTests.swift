#if os(Linux)
import Glibc
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

/// What a server or a file on the disk can do to a download, and a download to a file.
@Suite(.timeLimit(.minutes(1)))
struct CurlFileTrustTests {
    private static let size = 900_000
    private static let bytes = pattern(size)

    private let server: LoopbackServer
    private let sender: CurlRequestSender
    private let folder: TestFolder
    private let file: URL
    private let note: URL

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender()
        folder = try TestFolder()
        file = folder.place("target.bin")
        note = folder.place("target.bin.partial-info")
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    private func load(_ url: URL? = nil, resuming: Bool = true) -> Observer<HttpResponse> {
        let options = RequestOptions(destination: .file(file, resuming: resuming))
        return sender.send(.get, url ?? server.url("/a"), options: options)
    }

    /// Loads a part with this field in the response's head.
    private func breakOff(_ field: String) async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\nDate: Sat, 21 Nov 2026 11:00:00 GMT\r\n"
        let part = String(repeating: "a", count: 500_000)
        server.on(.get, "/a", respond: .raw("\(head)\(field)\r\n\r\n\(part)").closing())
        #expect(await load().end().error != nil)
    }

    private func rest(from start: Int) -> LoopbackResponse {
        .bytes(Array(Self.bytes[start...]), status: 206)
            .header("Content-Range", "bytes \(start)-\(Self.size - 1)/\(Self.size)").header("ETag", "\"one\"")
    }

    /// Responds with the rest that is requested, or with all.
    private func serve(on server: LoopbackServer) {
        server.on(.get, "/a") { request in
            guard let range = request.headers["Range"], let start = Int(range.filter(\.isNumber)) else {
                return .bytes(Self.bytes).header("ETag", "\"one\"")
            }
            return rest(from: start)
        }
    }

    /// Loads the whole, with a request that has neither a range nor a field that was forged.
    private func expectLoadedAnew(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        serve(on: server)
        #expect(try await load().value.status == 200, sourceLocation: sourceLocation)
        let request = try #require(server.requests.last)
        for name in ["Range", "If-Range", "X-Forged"] {
            #expect(request.headers[name] == nil, sourceLocation: sourceLocation)
        }
        #expect(try Data(contentsOf: file) == Data(Self.bytes), sourceLocation: sourceLocation)
        #expect(try names == ["target.bin"], sourceLocation: sourceLocation)
    }

    // MARK: Validators

    private static let inputs = [
        "ETag: \"one\rX-Forged: 1\"", "ETag: \"one\u{1}\"", "ETag: \"one two\"", "ETag: \"one\"two\"",
        "ETag: \"one\t\"",
        "ETag: \"one\u{7F}\"", "ETag: \"", "ETag: W/\"one\"", "ETag: one",
        "ETag: \"\(String(repeating: "a", count: 2000))\"",
        "Last-Modified: Sat\rX-Forged:1, 21 Nov 2026 10:00:00 GMT",
        "Last-Modified: Sat\u{1}, 21 Nov 2026 10:00:00 GMT", "Last-Modified: yesterday",
    ]

    @Test(arguments: inputs)
    func aServersTextThatIsNoValidatorIsNotSentBack(field: String) async throws {
        try await breakOff(field)
        try await expectLoadedAnew()
    }

    @Test(arguments: ["\"\"", "\"!#~\"", "\"caf\u{E9}\""])
    func aStrongEntityTagIsSentBackAsItCame(tag: String) async throws {
        try await breakOff("ETag: \(tag)")
        server.on(.get, "/a", respond: .status(503))
        _ = await load().end()
        #expect(server.requests.last?.headers["If-Range"] == tag)
    }

    @Test(arguments: [
        "\"one\rX-Forged: 1\"", "\"one\r\nX-Forged: 1\"", "\"one\"\nX-Forged: 1", "\"one\u{0}\"", "one",
        "Sat\rX-Forged:1, 21 Nov 2026 10:00:00 GMT", "W/\"one\"", "",
    ])
    func aSavedTextThatIsNoValidatorIsNotSent(text: String) async throws {
        try await breakOff("ETag: \"one\"")
        let saved = try String(contentsOf: note, encoding: .utf8)
        try #require(saved.contains("\"one\""))
        try saved.replacing("\"one\"", with: text).write(to: note, atomically: false, encoding: .utf8)
        try await expectLoadedAnew()
    }

    @Test func aSavedValidatorIsForTheOriginThatItCameFrom() async throws {
        let other = try LoopbackServer()
        server.on(.get, "/from", respond: .redirect(to: other.url("/a").absoluteString))
        other.on(
            .get, "/a",
            respond: .bytes(Self.bytes).header("ETag", "\"one\"").closing(afterBytes: 500_000))
        #expect(await load(server.url("/from")).end().error != nil)
        serve(on: other)
        let response = try await load(server.url("/from")).value
        #expect(response.status == 206)
        #expect(server.requests.map { $0.headers["If-Range"] } == [nil, nil])
        #expect(server.requests.map { $0.headers["Range"] } == [nil, nil])
        #expect(other.requests.map { $0.headers["If-Range"] } == [nil, "\"one\""])
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
    }

    @Test func aRangeThatWasNotSentToAnOriginIsNotTakenFromIt() async throws {
        let other = try LoopbackServer()
        server.on(.get, "/from", respond: .redirect(to: other.url("/a").absoluteString))
        other.on(
            .get, "/a",
            respond: .bytes(Self.bytes).header("ETag", "\"one\"").closing(afterBytes: 500_000))
        #expect(await load(server.url("/from")).end().error != nil)
        let kept = try Data(contentsOf: folder.place("target.bin.partial"))
        server.on(.get, "/from", respond: rest(from: kept.count))
        let error = await load(server.url("/from")).end().error as? TransportError
        #expect(error?.code == .invalidResponse)
        #expect(try Data(contentsOf: folder.place("target.bin.partial")) == kept)
    }

    // MARK: The file

    @Test(arguments: [false, true], [0o600, 0o640, 0o400, 0o666])
    func aFileKeepsThePermissionsOfTheOneThatItReplaces(isResuming: Bool, mode: Int) async throws {
        try Data("old".utf8).write(to: file)
        try #require(chmod(file.path, mode_t(mode)) == 0)
        server.on(.get, "/a", respond: .text("new"))
        _ = try await load(resuming: isResuming).value
        #expect(try Data(contentsOf: file) == Data("new".utf8))
        #expect(permissions(of: file) == mode_t(mode))
    }

    @Test(arguments: [false, true])
    func anIncompleteFileIsAsPrivateAsTheOneThatItWillReplace(isResuming: Bool) async throws {
        try Data("old".utf8).write(to: file)
        try #require(chmod(file.path, 0o600) == 0)
        server.hold("/held")
        let download = load(server.url("/held"), resuming: isResuming)
        let exchange = try await server.nextRequest("/held")
        exchange.sendHead(headers: ["Content-Length": "\(Self.size)", "ETag": "\"one\""])
        exchange.sendBody(Array(Self.bytes[..<700_000]))
        try await eventually("a part is there") { try names.count == (isResuming ? 3 : 2) }
        for name in try names { #expect(permissions(of: folder.place(name)) == 0o600, "\(name)") }
        exchange.sendBody(Array(Self.bytes[700_000...]))
        #expect(try await download.value.file == file)
    }

    private func permissions(of url: URL) -> mode_t {
        var status = stat()
        return stat(url.path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test(arguments: [204, 205], [false, true])
    func aResponseWithoutContentLeavesTheFile(status: Int, isResuming: Bool) async throws {
        try Data("old".utf8).write(to: file)
        server.on(.get, "/a", respond: .status(status))
        let response = try await load(resuming: isResuming).value
        #expect((response.status, response.file) == (status, nil))
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        #expect(try names == ["target.bin"])
    }

    @Test(arguments: ["a", "é"])
    func aNameMayBeAsLongAsTheSystemTakes(character: String) async throws {
        let name = String(repeating: character, count: 255 / character.utf8.count)
        let file = folder.place(name)
        server.on(.get, "/a", respond: .text("new"))
        let options = RequestOptions(destination: .file(file))
        #expect(try await sender.send(.get, server.url("/a"), options: options).value.file == file)
        #expect(try Data(contentsOf: file) == Data("new".utf8))
        #expect(try names == [name])
    }

    @Test(arguments: [(256, false), (243, true), (255, true)])
    func aNameThatIsTooLongFailsBeforeAnythingIsSent(length: Int, isResuming: Bool) async throws {
        let file = folder.place(String(repeating: "a", count: length))
        let options = RequestOptions(destination: .file(file, resuming: isResuming))
        let error = try await sender.expectFailure(.destinationFailed, server.url("/a"), options: options)
        let suffix = isResuming ? ".partial-info" : ""
        #expect(error.reason == "\(file.path)\(suffix) can't be written: File name too long.")
        #expect(server.counts.requests == 0)
        #expect(try names == [])
    }

    @Test func theLongestNameOfAFileThatIsResumed() async throws {
        let file = folder.place(String(repeating: "a", count: 242))
        server.on(.get, "/a", respond: .bytes(Self.bytes).header("ETag", "\"one\"").closing(afterBytes: 500_000))
        let options = RequestOptions(destination: .file(file, resuming: true))
        #expect(await sender.send(.get, server.url("/a"), options: options).end().error != nil)
        serve(on: server)
        #expect(try await sender.send(.get, server.url("/a"), options: options).value.status == 206)
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
    }
}
#endif
