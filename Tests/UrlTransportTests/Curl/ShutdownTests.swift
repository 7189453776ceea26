#if os(Linux)
import Foundation
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

struct ShutdownTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender()
    }

    private func request(_ path: String) -> HttpRequest {
        HttpRequest(method: .get, url: server.url(path))
    }

    private func code(_ outcome: Outcome<HttpResponse>) -> TransportError.Code? {
        (outcome.error as? TransportError)?.code
    }

    @Test(.timeLimit(.minutes(1))) func requestsInProgressCompleteAndLaterOnesFail() async throws {
        server.hold("/")
        let running = sender.observed(request("/"))
        let held = try await server.nextRequest()
        let shutdown = Task { [sender] in await sender.shutdown(drain: .seconds(30)) }
        var later = await sender.observed(request("/later")).end()
        while code(later) != .senderClosed { later = await sender.observed(request("/later")).end() }
        #expect(running.outcome == nil)
        held.respond(.text("done"))
        #expect(try await running.value.data == Data("done".utf8))
        await shutdown.value
        await sender.shutdown(drain: .seconds(30))
    }

    @Test(.timeLimit(.minutes(1))) func whatTakesLongerThanItMayFails() async throws {
        server.hold("/")
        let running = sender.observed(request("/"))
        try await server.waitForRequests(1)
        await sender.shutdown(drain: .milliseconds(50))
        #expect(code(await running.end()) == .senderClosed)
    }

    @Test(.timeLimit(.minutes(1))) func aClosedSenderReleasesTheRequestsThatWereQueued() async throws {
        server.hold("/")
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let releases = Gathered<Int>()
        let requests = (0..<3).map { number in
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 1_024, alignment: 1)
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: 1_024)
            let body = Data(
                bytesNoCopy: memory, count: 1_024,
                deallocator: .custom { memory, _ in
                    memory.deallocate()
                    releases.append(number)
                })
            return sender.observed(HttpRequest(method: .post, url: server.url("/"), body: .data(body)))
        }
        try await server.waitForRequests(1)
        sender.close()
        for request in requests { #expect(code(await request.end()) == .senderClosed) }
        await eventually("the bodies are released") { releases.all.count == 3 }
    }

    @Test(.timeLimit(.minutes(1))) func aCanceledShutdownEndsAtOnce() async throws {
        server.hold("/")
        let running = sender.observed(request("/"))
        try await server.waitForRequests(1)
        let shutdown = Task { [sender] in await sender.shutdown(drain: .seconds(3600)) }
        shutdown.cancel()
        await shutdown.value
        #expect(code(await running.end()) == .senderClosed)
    }

    @Test(.timeLimit(.minutes(1))) func aShutdownMayWaitForAsLongAsItTakes() async throws {
        server.hold("/")
        let running = sender.observed(request("/"))
        let held = try await server.nextRequest()
        let shutdown = Task { [sender] in await sender.shutdown(drain: .seconds(Int64.max)) }
        held.respond(.text("done"))
        #expect(try await running.value.status == 200)
        await shutdown.value
    }

    @Test(.timeLimit(.minutes(1))) func anIdleSenderEndsAtOnce() async throws {
        server.on(.get, "/", respond: .text("done"))
        _ = try await sender.observed(request("/")).value
        await sender.shutdown(drain: .seconds(3600))
        #expect(code(await sender.observed(request("/")).end()) == .senderClosed)
    }
}
#endif
