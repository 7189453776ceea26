#if os(Linux)
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

/// A body over TLS that ends with the connection (RFC 9112 §9.8).
@Suite(.enabled(if: TlsServer.isAvailable, "needs openssl and Python"))
struct CurlTlsEndTests {
    private static let responses = [
        "open": "HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\nhello", "old": "HTTP/1.0 200 OK\r\n\r\nhello",
        "empty": "HTTP/1.1 200 OK\r\n\r\n", "length": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "none": "HTTP/1.1 204 No Content\r\n\r\n", "lie": "HTTP/2 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "long": "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "a", count: 200_000),
        "more": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
    ]

    private func server(_ version: String = "TLSv1_3") throws -> TlsServer {
        try TlsServer(Self.responses, version: version)
    }

    private func sender(
        _ server: TlsServer, _ change: (inout CurlRequestSender.Configuration) -> Void = { _ in }
    ) throws -> CurlRequestSender {
        try makeSender {
            $0.tls.trustRoots = .file(server.certificate)
            change(&$0)
        }
    }

    @Test(arguments: ["TLSv1_2", "TLSv1_3"])
    func aBodyThatEndsWithTheConnectionNeedsACloseNotify(version: String) async throws {
        let server = try server(version)
        let sender = try sender(server)
        for name in ["open", "old", "empty", "long"] {
            let whole = try await sender.text(.get, server.url(name, notifies: true))
            #expect(whole.utf8.count == (name == "empty" ? 0 : name == "long" ? 200_000 : 5))
            let error = try await sender.expectFailure(.truncatedResponse, server.url(name, notifies: false))
            #expect(
                error.reason
                    == "the connection ended without a close_notify of TLS, so more may be missing; "
                    + "tls.requiresCloseNotify = false accepts such a body")
        }
    }

    @Test(arguments: ["TLSv1_2", "TLSv1_3"])
    func aBodyThatHasItsOwnEndNeedsNone(version: String) async throws {
        let server = try server(version)
        // The server closes each connection without saying so: a kept one may still look open.
        let sender = try sender(server) { $0.connections.maxIdle = 0 }
        for (name, text) in [("length", "hello"), ("chunked", "hello"), ("none", "")] {
            for notifies in [true, false] {
                #expect(try await sender.text(.get, server.url(name, notifies: notifies)) == text)
            }
        }
    }

    /// TLS keeps the bytes after the body, which are in one record with it.
    @Test(arguments: ["TLSv1_2", "TLSv1_3"])
    func bytesAfterAResponseAreNeverTheNextOne(version: String) async throws {
        let server = try server(version)
        let sender = try sender(server)
        for method: HttpMethod in [.get, .post] {
            #expect(try await sender.text(.get, server.url(kept: "more")) == "hello")
            #expect(try await sender.text(method, server.url(kept: "length")) == "hello")
        }
        let reused = try await sender.send(.get, server.url(kept: "length")).value
        #expect(reused.metrics.reusedConnection)
    }

    @Test func oldServersMayBeTakenAtTheirWord() async throws {
        let server = try server()
        let sender = try sender(server) { $0.tls.requiresCloseNotify = false }
        for notifies in [true, false] {
            #expect(try await sender.text(.get, server.url("open", notifies: notifies)) == "hello")
        }
    }

    @Test func aCutFileReplacesNoneAndACutStreamFails() async throws {
        let server = try server()
        let sender = try sender(server)
        let folder = try TestFolder()
        let file = folder.url.appending(path: "file")
        try Data("all of it".utf8).write(to: file)
        var options = RequestOptions { _ in }
        options.destination = .file(file, resuming: false)
        try await sender.expectFailure(.truncatedResponse, server.url("open", notifies: false), options: options)
        #expect(try Data(contentsOf: file) == Data("all of it".utf8))
        _ = try await sender.send(.get, server.url("open", notifies: true), options: options).value
        #expect(try Data(contentsOf: file) == Data("hello".utf8))

        options.destination = .stream
        let url = try server.url("long", notifies: false)
        let stream = try #require(try await sender.send(.get, url, options: options).value.bytes)
        var count = 0
        await #expect(throws: TransportError.self) {
            for try await piece in stream { count += piece.count }
        }
        #expect(count == 200_000)
    }

    @Test func anotherVersionThanTheOneThatWasOfferedIsNotBelieved() async throws {
        let server = try server()
        let sender = try sender(server) { $0.httpVersion = .http1 }
        try await sender.expectFailure(.invalidResponse, server.url("lie", notifies: true))
    }
}
#endif
