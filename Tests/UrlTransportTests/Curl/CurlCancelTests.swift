#if os(Linux)
import Dispatch
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

/// A cancel at each stage: one terminal event, nothing sent afterwards, and the server sees the connection end.
struct CurlCancelTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender {
            $0.limits.requestsPerOrigin = 1
            // However long the other tests keep this one from canceling.
            $0.connections.tcpUserTimeout = nil
        }
        server.on(.any, "/next", respond: .text("next"))
        server.hold("/held")
    }

    private func expectSenderWorks(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await sender.text(.get, server.url("/next")) == "next", sourceLocation: sourceLocation)
    }

    @Test func beforeItStarts() async throws {
        // The sender's thread is kept busy, so that what is sent meanwhile has not started.
        let other = try LoopbackServer()
        other.hold("/x")
        let isBusy = Context<Void>()
        let gate = DispatchSemaphore(value: 0)
        let busy = sender.send(.get, other.url("/x"))
        let exchange = try await other.nextRequest("/x")
        // Before the response, so that the sender's thread calls it.
        busy.onCompleted { _ in
            isBusy.emit()
            gate.wait()
        }
        exchange.respond(.status(200))
        try await isBusy.observer.value
        let answer = sender.send(.get, server.url("/held"))
        let events = answer.events
        answer.cancel()
        answer.cancel()
        gate.signal()
        try await expectSenderWorks()
        #expect(events.all == ["canceled"])
        #expect(server.requestCount("/held") == 0)
    }

    @Test func inLineAtTheOriginsLimit() async throws {
        let first = sender.send(.get, server.url("/held"))
        let waiting = (0..<3).map { sender.send(.get, server.url("/next?\($0)")) }
        let events = waiting.map(\.events)
        let exchange = try await server.nextRequest("/held")
        waiting[0].cancel()
        waiting[2].cancel()
        exchange.respond(.text("first"))
        #expect(try await first.value.text == "first")
        #expect(try await waiting[1].value.text == "next")
        try await expectSenderWorks()
        #expect(events.map(\.all) == [["canceled"], ["completed"], ["canceled"]])
        #expect(server.requests.map(\.target) == ["/held", "/next?1", "/next"])
        #expect(server.counts.connectionsAccepted == 1)
    }

    @Test func whileItConnects() async throws {
        let listener = try FullListener()
        // However long the others keep this test from looking.
        let sender = try makeSender {
            $0.connectTimeout = .seconds(600)
            $0.connections.tcpUserTimeout = nil
        }
        let answer = sender.send(.get, listener.url)
        let events = answer.events
        await eventually("the sender connects") { listener.connecting == 1 }
        answer.cancel()
        #expect(events.all == ["canceled"])
        await eventually("the connect ends") { listener.connecting == 0 }
        try await expectSenderWorks()
        #expect(events.all == ["canceled"])
    }

    @Test func whileTheBodyIsSent() async throws {
        server.whileReceiving(.post, "/up", .stopReading(afterBytes: 1000))
        let answer = sender.send(.post, server.url("/up"), body: .data(Data(count: 32_000_000)))
        let events = answer.events
        try await server.waitForReceivedBytes(1000)
        answer.cancel()
        server.resumeReading()
        try await server.waitForIncompleteRequests(1)
        try await server.waitForConnections(open: 0)
        try await expectSenderWorks()
        #expect(events.all == ["canceled"])
        #expect(server.requestCount("/up") == 0)
    }

    @Test func whileItWaitsForTheAnswer() async throws {
        let answer = sender.send(.post, server.url("/held"), body: .data(Data("body".utf8)))
        let events = answer.events
        let exchange = try await server.nextRequest("/held")
        answer.cancel()
        try await exchange.clientClosed()
        try await expectSenderWorks()
        #expect(events.all == ["canceled"])
        #expect(server.requestCount("/held") == 1)
    }

    @Test func whileTheAnswerComes() async throws {
        server.on(
            .get, "/endless", respond: .endlessBody(isChunked: true).dripping(16_384, every: .milliseconds(5)))
        let hasBegun = Context<Void>()
        let answer = sender.send(
            .get, server.url("/endless"), options: RequestOptions { if $0.received > 0 { hasBegun.emit() } })
        let events = answer.events
        try await hasBegun.observer.value
        answer.cancel()
        try await server.waitForConnections(open: 0)
        try await expectSenderWorks()
        #expect(events.all == ["canceled"])
    }

    @Test func byTheSendersOwnThread() async throws {
        let hasCanceled = Context<Void>()
        let observer = Gathered<Observer<HttpResponse>>()
        server.on(
            .get, "/endless", respond: .endlessBody(isChunked: true).dripping(16_384, every: .milliseconds(5)))
        let answer = sender.send(
            .get, server.url("/endless"),
            options: RequestOptions { _ in
                for observer in observer.all {
                    observer.cancel()
                    hasCanceled.emit()
                }
            })
        let events = answer.events
        observer.append(answer)
        try await hasCanceled.observer.value
        try await server.waitForConnections(open: 0)
        try await expectSenderWorks()
        #expect(events.all == ["canceled"])
    }

    @Test func afterTheEndItDoesNothing() async throws {
        let answer = sender.send(.get, server.url("/next"))
        let events = answer.events
        _ = try await answer.value
        answer.cancel()
        try await expectSenderWorks()
        #expect(events.all == ["completed"])
        #expect(server.counts.connectionsAccepted == 1)
    }

    @Test func cancellingTheTaskCancelsTheTransfer() async throws {
        let task = Task { [sender, server] in try await sender.send(.get, server.url("/held")).value }
        let exchange = try await server.nextRequest("/held")
        task.cancel()
        try await exchange.clientClosed()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test func aRaceWithTheAnswerHasOneEnd() async throws {
        let sender = try makeSender()
        let answers = (0..<200).map { _ in sender.send(.get, server.url("/next")) }
        let events = answers.map(\.events)
        await withTaskGroup(of: Void.self) { group in
            for answer in answers { group.addTask { answer.cancel() } }
        }
        for answer in answers { _ = await answer.end() }
        #expect(events.allSatisfy { $0.all.count == 1 && $0.all.first != "failed" })
        #expect(try await sender.text(.get, server.url("/next")) == "next")
    }
}
#endif
