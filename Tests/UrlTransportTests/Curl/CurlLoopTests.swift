#if os(Linux)
import Glibc
import NetChainTestKit
import NodeCore
import Synchronization
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct CurlLoopTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on(.get, "/") { _ in .text("here") }
    }

    /// The thread that the system names, which no other thread has at the same time.
    private func thread() -> pthread_t {
        pthread_self()
    }

    @Test func aTaskThatPrefersTheSendersThreadGoesOnThere() async throws {
        let sender = try makeSender()
        let url = server.url("/")
        let answering = Context<pthread_t>()
        sender.send(.get, url).onCompleted { _ in answering.emit(data: thread()) }
        let loop = try await answering.observer.value
        let (before, text, after) = try await withTaskExecutorPreference(sender.executor(for: url)) {
            let before = thread()
            let text = try await sender.text(.get, url)
            return (before, text, thread())
        }
        #expect(before == loop)
        #expect(text == "here")
        #expect(after == loop)
    }

    @Test func aTaskGoesOnAfterTheSenderWasClosed() async throws {
        let sender = try makeSender()
        let url = server.url("/")
        let executor = sender.executor(for: url)
        sender.close()
        let isDone = await withTaskExecutorPreference(executor) {
            await Task.yield()
            return true
        }
        #expect(isDone)
    }

    @Test func requestsOfOneOriginStayOnOneThread() async throws {
        let sender = try makeSender { $0.loops = 4 }
        for _ in 0..<8 { #expect(try await sender.text(.get, server.url("/")) == "here") }
        #expect(server.counts.connectionsAccepted == 1)
    }
}
#endif
