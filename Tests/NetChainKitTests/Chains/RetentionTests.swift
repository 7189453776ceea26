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
        let builder = UrlChainsBuilder<URL>().route(.get, try URL(string: "https://example.com") + "/a")
            .send(with: sender).log(level: .info).log(to: .memory(store))
        if isInPlace { builder.run(on: .inPlace, answer: .inPlace) }
        let chain: Node<Void, Answer> = builder.build()
        var observers: [Observer<Answer>] = []
        for _ in 0..<20 {
            let observer = chain.process()
            _ = try await observer.value
            observers.append(observer)
        }
        // The last one's task may still be about to end.
        for _ in 0..<1_000 where freed.value < 20 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(freed.value == 20)
        #expect(observers.allSatisfy { $0.outcome?.value?.id == 7 })
    }
}
