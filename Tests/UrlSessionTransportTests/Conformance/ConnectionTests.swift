import NetChainTestKit
import NodeCore
import ResponseProcessing
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What becomes of connections that lie or die.
@Suite(.timeLimit(.minutes(2)))
struct ConnectionTests {
    private static let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)

    @Test(
        arguments: SenderKind.allCases,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        ])
    func bytesAfterAnAnswerAreNeverTheNextOne(kind: SenderKind, answer: String) async throws {
        let server = try LoopbackServer()
        server.on(.any, "/ok", respond: .text("ok"))
        server.on(.get, "/more", respond: .raw(Array(answer.utf8) + Self.evil))
        let sender = try kind.sender()
        for method: HttpMethod in [.get, .post] {
            let first = try await sender.observed(server.request(.get, "/more")).value
            #expect(["ok", ""].contains(first.text))
            #expect(try await sender.observed(server.request(method, "/ok")).value.text == "ok")
        }
    }

    @Test(
        arguments: SenderKind.withoutFoundationNetworking,
        [
            "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", "x", "\r\n",
            String(decoding: evil, as: UTF8.self),
        ])
    func unaskedBytesOnAnIdleConnectionAreNotTheNextAnswer(kind: SenderKind, bytes: String) async throws {
        let server = try LoopbackServer()
        server.on(.any, "/ok", respond: .text("ok"))
        let sender = try kind.sender()
        for method: HttpMethod in [.get, .post] {
            #expect(try await sender.observed(server.request(method, "/ok")).value.text == "ok")
            for connection in server.openConnections {
                try await server.send(Array(bytes.utf8), onConnection: connection)
            }
            #expect(try await sender.observed(server.request(method, "/ok")).value.text == "ok")
        }
    }

    @Test(arguments: SenderKind.withoutFoundationNetworking, ["", "body"])
    func aPostIsNotSentTwiceWhenItsConnectionDies(kind: SenderKind, text: String) async throws {
        for death in [LoopbackResponse.close, .reset] {
            let server = try LoopbackServer()
            server.on(.post, "/", inOrder: [.text("first"), death, .text("again")])
            let sender = try kind.sender()
            let body = text.isEmpty ? RequestBody.empty : .data(Data(text.utf8))
            #expect(try await sender.observed(server.request(.post, body: body)).value.text == "first")
            #expect(await sender.failure(server.request(.post, body: body)) == .connectionLost)
            #expect(server.requests.map(\.indexOnConnection) == [0, 1])
        }
    }

    @Test(arguments: SenderKind.allCases)
    func aGetIsSentOnceMoreWhenItsConnectionDies(kind: SenderKind) async throws {
        for death in [LoopbackResponse.close, .reset] {
            let server = try LoopbackServer()
            server.on(.get, "/", inOrder: [.text("first"), death, .text("again")])
            let sender = try kind.sender()
            let chain = RetryNode<HttpResponse>(next: ClosureNode { try await sender.send($0) })
            #expect(try await chain.execute(server.request()).text == "first")
            #expect(try await chain.execute(server.request()).text == "again")
            #expect(server.requests.map(\.indexOnConnection) == [0, 1, 0])
        }
    }
}
