import Dispatch
import NetChainKit
import NetChainTestKit
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is kept in memory after a request has ended.
@Suite(.timeLimit(.minutes(1)))
struct RetentionTests {
    struct Answer: JsonModel {
        let id: Int
    }

    /// A body of 4 MB whose end is counted.
    private func body(_ freed: Counter) -> Data {
        let text =
            Array(#"{"id": 7, "text": ""#.utf8) + Array(repeating: UInt8(ascii: "a"), count: 4 << 20)
            + Array("\"}".utf8)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: text.count, alignment: 16)
        memory.copyMemory(from: text, byteCount: text.count)
        return Data(
            bytesNoCopy: memory, count: text.count,
            deallocator: .custom { memory, _ in
                memory.deallocate()
                freed.add()
            })
    }

    @Test(arguments: [false, true])
    func completedObserversKeepNoBodyAndNoLog(isInPlace: Bool) async throws {
        let (freed, store) = (Counter(), LogStore(limit: 1))
        let sender = ScriptedRequestSender { exchange in
            exchange.respond(body: body(freed))
        }
        var builder = UrlChainsBuilder<URL>().route(.get, try URL(string: "https://example.com") + "/a")
            .sender(sender).log(level: .info).log(to: .memory(store))
        if isInPlace { builder = builder.run(on: .inPlace, callbacks: .inPlace) }
        let chain: Node<Void, Answer> = builder.build()
        var observers: [Observer<Answer>] = []
        for _ in 0..<20 {
            let observer = chain.process()
            _ = try await observer.value
            observers.append(observer)
        }
        // The last one's task may still be about to end, and its callback may wait for the main queue.
        while freed.value < 20 || observers.contains(where: { $0.outcome == nil }), !Task.isCancelled {
            await Task.yield()
        }
        #expect(freed.value == 20)
        #expect(observers.allSatisfy { $0.outcome?.value?.id == 7 })
    }

    /// The body of an attempt that a retry healed counts as well.
    @Test func theBodiesOfFailedAttemptsCountAgainstTheLimitOfASink() async throws {
        let attempts = Counter()
        let sender = ScriptedRequestSender { exchange in
            let isFirst = attempts.add() % 2 == 1
            exchange.respond(
                status: isFirst ? 503 : 200, body: isFirst ? Data(count: 1 << 20) : Data(#"{"id": 7}"#.utf8))
        }
        let gate = DispatchSemaphore(value: 0)
        let sink = LogSink(HangingWriter(gate: gate), byteLimit: 3 << 20)
        let chain: Node<Void, Answer> = UrlChainsBuilder<URL>()
            .route(.get, try URL(string: "https://example.com") + "/a").retry(.constant(.zero)).sender(sender)
            .log(to: sink).build()
        for _ in 0..<10 { _ = try await chain.execute() }
        #expect(sink.droppedReports >= 7)
        for _ in 0..<10 { gate.signal() }
        await sink.drain()
    }
}

private struct HangingWriter: LogWriter {
    let gate: DispatchSemaphore

    func write(_ report: LogReport) { gate.wait() }
}
