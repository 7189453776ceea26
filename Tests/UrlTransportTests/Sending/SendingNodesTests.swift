import Dispatch
import Logging
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

private func request(_ text: String = "http://a.example/x", attempt: Int = 1) throws -> HttpRequest {
    HttpRequest(method: .get, url: try #require(URL(string: text)), attempt: attempt)
}

struct RequestSenderNodeTests {
    private let sender = ScriptedRequestSender()
    private let spy = Spy<DataResponse, Int>(answer: 7)

    @Test func itHandsOnTheAnswerAndItsFigures() async throws {
        let journal = Journal()
        let node = RequestSenderNode(next: spy, sender: sender)
        let observer = try journal.record { node.inline(try request()) }
        try await sender.nextRequest().respond(status: 404, body: Data("x".utf8))
        #expect(try await observer.value == 7)
        #expect(try spy.inputs.first?.result.get().status == 404)
        let log = try #require(journal.records.compactMap { $0.entry as? Log }.first)
        #expect(log.id == "RequestSenderNode")
        #expect(log.kind == .attempt)
        #expect(log.details.status == 404)
        #expect(log.details.attempt == 1)
        #expect(log.details.value is TransferMetrics)
    }

    @Test func itHandsOnAnErrorToo() async throws {
        let observer = RequestSenderNode(next: spy, sender: sender).inline(try request())
        try await sender.nextRequest().fail(.connectionLost)
        #expect(try await observer.value == 7)
        let error = thrown(TransportError.self) { try spy.inputs.first?.result.get() }
        #expect(error?.code == .connectionLost)
    }

    @Test func theFiguresOfAFailureAreInTheJournalToo() async throws {
        let journal = Journal()
        var metrics = TransferMetrics()
        metrics.nameLookup = .milliseconds(1)
        metrics.total = .milliseconds(4)
        let error = TransportError(.connectionRefused, of: try request(), reason: "why", metrics: metrics)
        let node = RequestSenderNode(next: spy, sender: sender)
        let observer = try journal.record { node.inline(try request()) }
        try await sender.nextRequest().fail(error)
        _ = try await observer.value
        let log = try #require(journal.records.compactMap { $0.entry as? Log }.first)
        #expect(log.details.value as? TransferMetrics == metrics)
        #expect(log.details.duration == .milliseconds(4))
        #expect((log.details.error as? TransportError)?.code == .connectionRefused)
        #expect(log.message == "lookup 1.0 ms, total 4.0 ms; 0 B sent, 0 B received")
    }

    @Test func aCancelReachesTheSenderAndEndsTheChain() async throws {
        let observer = RequestSenderNode(next: spy, sender: sender).inline(try request())
        let events = observer.events
        let exchange = try await sender.nextRequest()
        observer.cancel()
        #expect(exchange.isCanceled)
        #expect(!exchange.respond())
        #expect(events.all == ["canceled"])
        #expect(spy.inputs.isEmpty)
    }
}

struct TechnicalErrorMapperNodeTests {
    private func mapped(_ error: any Error) async throws -> any Error {
        let node = TechnicalErrorMapperNode(next: ClosureNode<HttpRequest, Int> { _ in .emit(error: error) })
        return try #require(await node.inline(try request()).end().error)
    }

    @Test(arguments: [
        (TransportError.Code.noNetwork, "No internet connection"), (.connectTimedOut, "Timeout"),
        (.requestTimedOut, "Timeout"), (.stalled, "Timeout"), (.hostNotFound, "Can't connect to the host"),
        (.connectionRefused, "Can't connect to the host"), (.cannotConnect, "Can't connect to the host"),
    ])
    func theSystemsFailuresBecomeTechnicalErrors(code: TransportError.Code, words: String) async throws {
        let error = TransportError(code, of: try request(), reason: "why")
        let technical = try #require(try await mapped(error) as? TechnicalError)
        #expect(technical.cause.code == code)
        #expect(technical.description == "\(words): GET http://a.example/x failed: why [\(code)]")
        switch technical {
        case .noInternetConnection: #expect(words == "No internet connection")
        case .timeout: #expect(words == "Timeout")
        case .cantConnectToHost: #expect(words == "Can't connect to the host")
        }
    }

    @Test(arguments: [
        TransportError.Code.invalidUrl, .connectionLost, .truncatedResponse, .invalidResponse,
        .responseTooLarge, .tooManyRedirects, .certificateRejected, .uploadFailed, .senderClosed, .proxyFailed,
    ])
    func otherTransportErrorsPassUnchanged(code: TransportError.Code) async throws {
        let error = try #require(
            try await mapped(TransportError(code, of: try request(), reason: "why")) as? TransportError)
        #expect(error.code == code)
    }

    @Test func otherErrorsAndValuesPassUnchanged() async throws {
        struct Failure: Error {}
        #expect(try await mapped(Failure()) is Failure)
        let node = TechnicalErrorMapperNode(next: Spy<HttpRequest, Int>(answer: 3))
        #expect(try await node.execute(try request()) == 3)
    }
}

struct TransportErrorTests {
    @Test func theRequestIsToldWithoutItsSecrets() throws {
        let url = "https://bob:pw@a.example/x?page=1&access_token=hunter2"
        let error = TransportError(.stalled, of: try request(url, attempt: 3), reason: "why")
        #expect(error.url == Redaction.standard.url(url))
        #expect(error.url.hasSuffix("page=1&access_token=***"))
        #expect(error.description == "GET \(error.url) (attempt 3) failed: why [stalled]")
        #expect((error.method, error.attempt) == (.get, 3))
    }
}

struct AborterNodeTests {
    private let sender = ScriptedRequestSender()

    @Test func itEndsAllThatIsUnderWayAndNothingElse() async throws {
        let node = AborterNode(next: RequestSenderNode(next: Spy<DataResponse, Int>(answer: 7), sender: sender))
        let done = node.inline(try request())
        try await sender.nextRequest().respond()
        #expect(try await done.value == 7)
        let running = [node.inline(try request()), node.inline(try request())]
        let events = running.map(\.events)
        let exchanges = [try await sender.nextRequest(), try await sender.nextRequest()]
        node.abort()
        #expect(exchanges.map(\.isCanceled) == [true, true])
        #expect(events.map(\.all) == [["canceled"], ["canceled"]])
        node.abort()
        let later = node.inline(try request())
        try await sender.nextRequest().respond()
        #expect(try await later.value == 7)
    }

    @Test func itEndsWhatIsBeingStarted() async throws {
        let abort = Gathered<@Sendable () -> Void>()
        let started = Gathered<Context<Int>>()
        let node = AborterNode(
            next: ClosureNode<Int, Int> { _ in
                // As another thread would, while the rest of the chain is on its way to the sender.
                for abort in abort.takeAll() { abort() }
                let context = Context<Int>()
                started.append(context)
                return context.observer
            })
        abort.append { node.abort() }
        let journal = Journal()
        let observer = journal.record { node.inline(1) }
        #expect(observer.outcome?.isCanceled == true)
        #expect(started.all.map(\.isSettled) == [true], "the cancel reached it")
        let later = node.inline(2)
        started.all.last?.emit(data: 7)
        #expect(later.outcome?.value == 7)
    }

    @Test func whatIsDoneAtOnceIsDone() {
        let node = AborterNode(next: ClosureNode<Int, Int> { .emit(data: $0) })
        #expect(node.inline(3).outcome?.value == 3)
        node.abort()
    }

    @Test func aCancelGoesThroughIt() {
        let context = Context<Int>()
        let observer = AborterNode(next: ClosureNode<Int, Int> { _ in context.observer }).inline(1)
        observer.cancel()
        #expect(context.observer.outcome?.isCanceled == true)
    }

    @Test func itLetsGoOfWhatHasEnded() async throws {
        final class Probe: Sendable {}
        let contexts = Gathered<Context<Probe>>()
        let node = AborterNode(
            next: ClosureNode<Int, Probe> { _ in
                let context = Context<Probe>()
                contexts.append(context)
                return context.observer
            })
        weak var probe: Probe?
        do {
            let value = Probe()
            probe = value
            _ = node.inline(1)
            contexts.takeAll().first?.emit(data: value)
        }
        #expect(probe == nil)
        node.abort()
    }

    @Test func itKeepsNothingOfRequestsThatEndWhileTheyAreBeingStarted() {
        final class Probe: Sendable {
            let ended: Gathered<Int>

            init(_ ended: Gathered<Int>) {
                self.ended = ended
            }

            deinit {
                ended.append(1)
            }
        }
        let rounds = 20_000
        let ended = Gathered<Int>()
        let started = Mutex<Context<Probe>?>(nil)
        let startedCount = Atomic(0), endedCount = Atomic(0)
        let node = AborterNode(
            next: ClosureNode<Int, Probe> { _ in
                let context = Context<Probe>()
                started.withLock { $0 = context }
                startedCount.add(1, ordering: .acquiringAndReleasing)
                return context.observer
            })
        // As the thread of a sender: some end before the node sees them, some while it does, some after that.
        let sender = DispatchGroup()
        DispatchQueue.global().async(group: sender) {
            for round in 1...rounds {
                while startedCount.load(ordering: .acquiring) < round {}
                let context = started.withLock { $0.take() }
                for _ in 0..<round % 128 { _ = startedCount.load(ordering: .acquiring) }
                context?.emit(data: Probe(ended))
                endedCount.add(1, ordering: .acquiringAndReleasing)
            }
        }
        for round in 1...rounds {
            _ = node.inline(round)
            while endedCount.load(ordering: .acquiring) < round {}
        }
        sender.wait()
        #expect(ended.all.count == rounds)
        withExtendedLifetime(node) {}
    }

    @Test func aListenerMayAbortAgainOrSendAnew() async throws {
        let node = AborterNode(next: RequestSenderNode(next: Spy<DataResponse, Int>(answer: 7), sender: sender))
        let request = try request()
        let again = Gathered<Observer<Int>>()
        node.inline(request).onCanceled {
            node.abort()
            again.append(node.inline(request))
        }
        let exchange = try await sender.nextRequest()
        node.abort()
        #expect(exchange.isCanceled)
        try await sender.nextRequest().respond()
        #expect(try await again.all.first?.value == 7)
    }
}
