import NetChainTestKit
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct LoopbackUnixSocketTests {
    private let path = ServerPlace.freePath()

    private var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    @Test func theServerNamesItsSocket() throws {
        let server = try LoopbackServer(unixSocket: path)
        #expect((server.unixSocket, server.port) == (path, 0))
        #expect(server.url.absoluteString == "http://localhost")
        #expect(server.url("/a/b?c=%20d").absoluteString == "http://localhost/a/b?c=%20d")
        #expect(try LoopbackServer().unixSocket == nil)
    }

    @Test func requestsAreServedAndRecorded() async throws {
        let server = try LoopbackServer(unixSocket: path)
        server.on(.post, "/users/:id") { .text("\($0.parameters["id"] ?? "") \($0.text)") }
        let client = try RawClient(unixSocket: path)
        for index in 0..<2 {
            client.send("POST /users/7 HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody")
            #expect(try await client.readAnswer().body == "7 body")
            let request = try #require(server.requests.last)
            #expect((request.connectionID, request.indexOnConnection, request.remotePort) == (1, index, 0))
        }
        #expect(server.openConnections == [1])
        try await server.closeIdleConnections()
        #expect(try await client.readToEnd().ending == .closed)
    }

    @Test func theFileIsThereUntilTheStop() throws {
        for _ in 0..<2 {
            let server = try LoopbackServer(unixSocket: path)
            #expect(isThere)
            server.stop()
            #expect(!isThere)
        }
    }

    @Test func aPathInUseIsAnError() throws {
        let server = try LoopbackServer(unixSocket: path)
        let message = "the test server cannot start: bind to \(path): Address already in use"
        #expect(throws: LoopbackError(.cannotStart, message)) { try LoopbackServer(unixSocket: path) }
        // The server that has it keeps it.
        #expect(isThere)
        _ = try RawClient(server)
        server.stop()
        try Data().write(to: URL(filePath: path))
        #expect(throws: LoopbackError(.cannotStart, message)) { try LoopbackServer(unixSocket: path) }
        try FileManager.default.removeItem(atPath: path)
    }

    @Test(arguments: ["/tmp/" + String(repeating: "x", count: 103), "/tmp/a\0b"])
    func aPathThatIsNoneIsAnError(path: String) throws {
        let error = thrown(LoopbackError.self) { try LoopbackServer(unixSocket: path) }
        #expect(error?.code == .cannotStart)
        #expect(error?.message.hasSuffix(path.debugDescription) == true)
    }

    @Test func aFolderThatIsMissingIsAnError() throws {
        let message = "the test server cannot start: bind to \(path)/a: No such file or directory"
        #expect(throws: LoopbackError(.cannotStart, message)) { try LoopbackServer(unixSocket: path + "/a") }
    }
}
