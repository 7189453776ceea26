#if os(Linux) && compiler(>=6.2)  // Exit tests.
import Glibc
import NetChainKit
import NetChainTestKit
import Testing

/// The sender of chains that are given none.
struct DefaultSenderTests {
    @Test(.enabled(if: mayForkWithThreads, "Thread Sanitizer allows a forked process no thread of its own"))
    func aForkedProcessHasOneOfItsOwn() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.on(.get, "/x", respond: .text("x"))
            let sender = DefaultRequestSender.shared
            let request = HttpRequest(method: .get, url: server.url("/x"))
            #expect(try await sender.send(request).value.statusCode == 200)
            let status = try inForkedProcess {
                var ends: [Int32] = [0, 0]
                guard pipe(&ends) == 0 else { return 1 }
                let answerEnd = ends[1]
                for _ in 0..<2 {
                    var byte: UInt8 = 0
                    sender.send(request).onCompleted { _ in _ = write(answerEnd, "x", 1) }
                        .onError { _ in _ = write(answerEnd, "e", 1) }
                    guard read(ends[0], &byte, 1) == 1, byte == UInt8(ascii: "x") else { return 2 }
                }
                return 0
            }
            #expect(status == 0)
            #expect(try await sender.send(request).value.statusCode == 200)
            // One of this process, and one of the other, which used it twice.
            #expect(server.counts.connectionsAccepted == 2)
        }
    }
}
#endif
