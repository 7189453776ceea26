import Dispatch
import NetChainKit
import NetChainTestKit
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A cancel at each stage: one end is told, and nothing is sent after it.
struct CancelTests {
    private let sender = ScriptedRequestSender()

    private func builder() -> UrlChainsBuilder<Route> {
        UrlChainsBuilder<Route>().quiet().sender(sender).route(.get, .users)
    }

    @Test func aTaskThatIsCancelledBeforeSendsNothing() async throws {
        let chain: Node<Void, User> = builder().build()
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            return try await chain.execute()
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(sender.requests.isEmpty)
    }

    @Test func aCancelStopsWorkThatWaitsInAQueue() async throws {
        let queue = DispatchQueue(label: "work")
        queue.suspend()
        let chain: Node<Void, User> = builder().run(on: .dispatch(on: queue), callbacks: .inPlace).build()
        let observer = chain.process()
        let ends = Ends(observer)
        #expect(ends.all.isEmpty)
        observer.cancel()
        observer.cancel()
        #expect(ends.all == ["canceled", "defer"])
        queue.resume()
        await queue.drain()
        #expect(sender.requests.isEmpty)
        #expect(ends.all == ["canceled", "defer"])
    }

    @Test func aCancelStopsAProviderThatIsAsked() async throws {
        let provider = SlowProvider()
        let chain: Node<Void, User> = builder().add(provider: provider).build()
        let observer = chain.process()
        let ends = Ends(observer)
        try await provider.asked.wait()
        observer.cancel()
        try await provider.stopped.wait()
        #expect(ends.all == ["canceled", "defer"])
        #expect(sender.requests.isEmpty)
    }

    @Test func aProviderThatDoesNotHearOfACancelChangesNothing() async throws {
        let (asked, answer, left) = (Gate(), Gate(), Gate())
        let provider = DeafProvider(asked: asked, answer: answer, left: left)
        let chain: Node<Void, User> = builder().add(provider: provider).build()
        let observer = chain.process()
        let ends = Ends(observer)
        try await asked.wait()
        observer.cancel()
        answer.open()
        try await left.wait()
        #expect(ends.all == ["canceled", "defer"])
        #expect(sender.requests.isEmpty)
    }

    @Test func aCancelReachesTheSender() async throws {
        let chain: Node<User, User> = builder().route(.post, .users).build()
        let observer = chain.process(User(id: 1, name: "Ann"))
        let ends = Ends(observer)
        let exchange = try await sender.nextRequest()
        #expect(ends.all.isEmpty)
        observer.cancel()
        await exchange.ended()
        #expect(exchange.isCanceled)
        #expect(!exchange.respond(json: #"{"id": 1, "name": "Ann"}"#))
        #expect(ends.all == ["canceled", "defer"])
        #expect(sender.requests.count == 1)
    }

    @Test(arguments: [10, 16 << 10])
    func aCancelWhileTheAnswerIsReadLeavesOneEnd(length: Int) async throws {
        let chain: Node<Void, SlowlyRead> = builder().build()
        let observer = chain.process()
        let ends = Ends(observer)
        let exchange = try await sender.nextRequest()
        let text = String(repeating: "x", count: length)
        let (reading, left) = (Gate(), Gate())
        SlowlyRead.readings.withLock { readings in
            readings[length] = {
                observer.cancel()
                reading.open()
            }
        }
        // Below 16 KiB the answer is read here, else on a queue.
        #expect(exchange.respond(json: #"{"text": "\#(text)"}"#))
        try await reading.wait()
        #expect(ends.all == ["canceled", "defer"])
        // What was being read ends on its queue; another answer comes after it.
        SlowlyRead.readings.withLock { readings in
            readings[length] = { left.open() }
        }
        let next = chain.process()
        try await sender.nextRequest().respond(json: #"{"text": "\#(text)"}"#)
        #expect(try await next.value.text.count == length)
        try await left.wait()
        #expect(ends.all == ["canceled", "defer"])
        #expect(sender.requests.count == 2)
    }

    @Test func aCancelStopsAnAnswerThatWaitsInAQueue() async throws {
        let queue = DispatchQueue(label: "answer")
        queue.suspend()
        let chain: Node<Void, User> = builder().run(on: .inPlace, callbacks: .dispatch(on: queue)).build()
        let observer = chain.process()
        let ends = Ends(observer)
        let exchange = try await sender.nextRequest()
        #expect(exchange.respond(json: #"{"id": 1, "name": "Ann"}"#))
        #expect(ends.all.isEmpty)
        observer.cancel()
        queue.resume()
        try await ends.wait()
        await queue.drain()
        #expect(ends.all == ["canceled", "defer"])
    }

    @Test func aCancelAfterTheEndDoesNothing() async throws {
        let chain: Node<Void, User> = builder().build()
        let observer = chain.inline()
        let ends = Ends(observer)
        try await sender.nextRequest().respond(json: #"{"id": 1, "name": "Ann"}"#)
        observer.cancel()
        #expect(ends.all == ["completed", "defer"])
        #expect(observer.outcome?.value == User(id: 1, name: "Ann"))
    }

    @Test func cancellingTheTaskCancelsTheChain() async throws {
        let chain: Node<Void, User> = builder().build()
        let task = Task { try await chain.execute() }
        let exchange = try await sender.nextRequest()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await exchange.ended()
        #expect(exchange.isCanceled)
    }

    @Test func cancellingTheTaskClosesTheTransfer() async throws {
        let server = try LoopbackServer()
        server.hold("/slow")
        let chain = UrlChainsBuilder<URL>().quiet().route(.get, server.url("/slow")).loadData()
        let task = Task { try await chain.execute() }
        let exchange = try await server.nextRequest()
        exchange.sendHead(headers: ["Content-Length": "100"])
        exchange.sendBody("the first part")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await exchange.clientClosed()
        #expect(server.counts.requests == 1)
    }

    @Test func aCancelEndsTheDelayBeforeAnotherSending() async throws {
        let chain: Node<Void, User> = builder().retry(.constant(.seconds(3600))).build()
        let observer = chain.process()
        let ends = Ends(observer)
        try await sender.nextRequest().fail(.connectionRefused)
        #expect(ends.all.isEmpty)
        observer.cancel()
        #expect(ends.all == ["canceled", "defer"])
        #expect(sender.requests.count == 1)
    }

    @Test func aCancelTakesOneFrozenRequestOutAndLeavesTheRefreshToTheOthers() async throws {
        let refresh = Gate()
        let refresher = TokenRefresherNode { try await refresh.wait() }
        let chain: Node<Void, User> = builder().accessSafe(refresher).build()
        let (first, second) = (chain.process(), chain.process())
        let (firstEnds, secondEnds) = (Ends(first), Ends(second))
        for _ in 0..<2 { try await sender.nextRequest().respond(status: 401) }
        first.cancel()
        #expect(firstEnds.all == ["canceled", "defer"])
        refresh.open()
        try await sender.nextRequest().respond(json: #"{"id": 1, "name": "Ann"}"#)
        try await secondEnds.wait()
        #expect(secondEnds.all == ["completed", "defer"])
        #expect(firstEnds.all == ["canceled", "defer"])
        #expect(sender.requests.count == 3)
    }

    @Test func aCancelThatRacesTheAnswerLeavesOneEnd() async throws {
        let chain: Node<Void, User> = builder().build()
        for _ in 0..<200 {
            let observer = chain.process()
            let ends = Ends(observer)
            let exchange = try await sender.nextRequest()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { observer.cancel() }
                group.addTask { exchange.respond(json: #"{"id": 1, "name": "Ann"}"#) }
            }
            try await ends.wait()
            #expect(ends.all == ["canceled", "defer"] || ends.all == ["completed", "defer"])
        }
    }

    /// A model that tells when it is being read, by the length of its text.
    private struct SlowlyRead: JsonDecodableModel {
        static let readings = Mutex<[Int: @Sendable () -> Void]>([:])
        let text: String

        private enum CodingKeys: CodingKey {
            case text
        }

        init(from decoder: any Decoder) throws {
            let text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
            SlowlyRead.readings.withLock { $0[text.count] }?()
            self.text = text
        }
    }

    /// Waits until it is canceled.
    private struct SlowProvider: MetadataProvider {
        let asked = Gate()
        let stopped = Gate()

        func metadata() async throws -> [String: String] {
            asked.open()
            do {
                try await Gate().wait()
            } catch {
                stopped.open()
                throw error
            }
            return [:]
        }
    }

    /// Responds when the test says so, canceled or not.
    private struct DeafProvider: MetadataProvider {
        let asked: Gate
        let answer: Gate
        let left: Gate

        func metadata() async throws -> [String: String] {
            asked.open()
            await Task { [answer] in try? await answer.wait() }.value
            defer { left.open() }
            return ["X-Late": "1"]
        }
    }
}

extension DispatchQueue {
    /// Waits until what was put into a serial queue before has run.
    fileprivate func drain() async {
        await withCheckedContinuation { continuation in async { continuation.resume() } }
    }
}
