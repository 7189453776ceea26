#if os(Linux)
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

/// Tasks on the thread of a sender.
struct TaskExecutorTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on(.get, "/x", respond: .text("body"))
    }

    /// The name of the thread that runs the caller.
    private static func threadName() -> String {
        String(decoding: systemFile("/proc/thread-self/comm").dropLast(), as: UTF8.self)
    }

    private var request: HttpRequest { HttpRequest(method: .get, url: server.url("/x")) }

    @Test func aTaskStaysOnTheThreadWhileItSends() async throws {
        let sender = try makeSender()
        let names = try await Task(executorPreference: sender.taskExecutor) { [request] in
            var names = [Self.threadName()]
            for _ in 0..<3 {
                #expect(try await sender.send(request).text == "body")
                names.append(Self.threadName())
            }
            try await Task.sleep(for: .milliseconds(1))
            return names + [Self.threadName()]
        }.value
        #expect(names == Array(repeating: "netchain-curl", count: 5))
    }

    @Test func manyTasksSendAtATime() async throws {
        let sender = try makeSender()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask(executorPreference: sender.taskExecutor) { [request] in
                    var sum = 0
                    for _ in 0..<10 {
                        sum += try await sender.send(request).status
                        await Task.yield()
                    }
                    return sum
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 1_000 * 200)
    }

    @Test func aTaskThatYieldsForEverHoldsUpNoRequest() async throws {
        let sender = try makeSender()
        let busy = Task(executorPreference: sender.taskExecutor) { while !Task.isCancelled { await Task.yield() } }
        #expect(try await sender.send(request).status == 200)
        busy.cancel()
        await busy.value
    }

    @Test func aTaskGoesOnAfterTheSenderIsClosed() async throws {
        let sender = try makeSender()
        let error = await Task(executorPreference: sender.taskExecutor) { [request] in
            sender.close()
            await sender.shutdown(drain: .zero)
            return await thrown(TransportError.self) { try await sender.send(request) }
        }.value
        #expect(error?.code == .senderClosed)
    }

    @Test func aTaskGoesOnAfterTheSenderIsReleased() async throws {
        var sender: CurlRequestSender? = try makeSender()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let task = Task(executorPreference: sender?.taskExecutor) {
            for await _ in gate {}
            try await Task.sleep(for: .milliseconds(50))
            return Self.threadName()
        }
        sender = nil
        open.finish()
        _ = try await task.value
    }
}
#endif
