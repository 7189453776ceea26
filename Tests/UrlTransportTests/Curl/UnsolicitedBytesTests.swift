#if os(Linux)
import Dispatch
import NetChainTestKit
import NodeCore
import Synchronization
import Testing
import UrlTransport

/// Bytes that a server sends after a response, or on an idle connection.
struct UnsolicitedBytesTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/ok", respond: .text("ok"))
        sender = try makeSender()
    }

    private let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8)

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ])
    func bytesAfterAnAnswerAreNeverTheNextOne(answer: String) async throws {
        server.on(.get, "/more", respond: .raw(Array(answer.utf8) + evil))
        for method: HttpMethod in [.get, .post] {
            #expect(try await sender.send(.get, server.url("/more")).value.text.count <= 2)
            #expect(try await sender.text(method, server.url("/ok")) == "ok")
        }
    }

    @Test func aBodyAfterAnAnswerToHeadIsNotTheNextAnswer() async throws {
        server.on(.head, "/more", respond: .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".utf8) + evil))
        #expect(try await sender.send(.head, server.url("/more")).value.status == 200)
        #expect(try await sender.text(.get, server.url("/ok")) == "ok")
    }

    @Test(arguments: ["HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", "x", "\r\n"])
    func unaskedBytesOnAnIdleConnectionAreNotTheNextAnswer(bytes: String) async throws {
        for method: HttpMethod in [.get, .post] {
            #expect(try await sender.text(method, server.url("/ok")) == "ok")
            for connection in server.openConnections {
                try await server.send(Array(bytes.utf8), onConnection: connection)
            }
            #expect(try await sender.text(method, server.url("/ok")) == "ok")
        }
    }

    @Test(arguments: [0, 1, 7, 8])
    func unaskedBytesAreNoAnswersWhereManyRequestsBeginTogether(spoiled: Int) async throws {
        let count = 8
        let (server, sender, evil) = (server, sender, evil)
        let (batches, nextBatch) = AsyncStream<[Observer<HttpResponse>]>.makeStream()
        let first = try await answerTogether(count) {
            // All answers have been read by now, and the sender's thread waits here.
            let spoiling = DispatchSemaphore(value: 0)
            Task.detached {
                defer { spoiling.signal() }
                for connection in server.openConnections.sorted().prefix(spoiled) {
                    try await server.send(evil, onConnection: connection)
                }
            }
            spoiling.wait()
            nextBatch.yield((0..<count).map { sender.send(.get, server.url("/ok?\($0)")) })
        }
        let next = try #require(await batches.first { _ in true })
        for answer in next { #expect(try await answer.value.text == "ok") }
        #expect(server.requestCount("/ok") == count)
        let connections = first.map(\.connectionID).sorted().prefix(spoiled)
        #expect(server.requests("/ok").allSatisfy { !connections.contains($0.connectionID) })
        // One that comes free may serve a request whose own was spoiled.
        #expect((count...count + spoiled).contains(server.counts.connectionsAccepted))
    }

    /// Sends requests, and calls `then` on the sender's thread when it has read all of their responses. Returns the requests
    /// as the server received them.
    private func answerTogether(
        _ count: Int, then: @escaping @Sendable () -> Void
    ) async throws -> [LoopbackRequest] {
        server.hold("/held/:id")
        let answers = (0..<count).map { sender.send(.get, server.url("/held/\($0)")) }
        var exchanges: [LoopbackExchange] = []
        for _ in 0..<count { exchanges.append(try await server.nextRequest("/held/:id")) }
        let left = Atomic(count)
        // Not awaited before: an awaited response is delivered in its task.
        let (ends, end) = AsyncStream<Void>.makeStream()
        for answer in answers {
            answer.onSettled { _ in
                guard left.subtract(1, ordering: .relaxed).newValue == 0 else { return }
                then()
                end.finish()
            }
        }
        for exchange in exchanges { exchange.respond(.text("first")) }
        for await _ in ends {}
        for answer in answers { #expect(try await answer.value.text == "first") }
        return exchanges.map(\.request)
    }
}
#endif
