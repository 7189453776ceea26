#if os(Linux)
import CNetChainCurl
import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which handles are kept, and until when.
struct SpareHandlesTests {
    private static let https = HandleOptionsTests.settings[0]
    private static let http = HandleOptionsTests.settings[1]

    private func hop(_ loop: LooseLoop) throws -> Hop {
        try loop.hop(HandleOptionsTests.usual[0])
    }

    @Test func aHandleIsForHopsOfItsKind() throws {
        let (secure, plain) = (try hop(LooseLoop(Self.https)), try hop(LooseLoop(Self.http)))
        var spares = SpareHandles()
        spares.add(secure.easy, secure.kind, lastUse: .now)
        #expect(spares.take(plain.kind) == nil)
        spares.add(plain.easy, plain.kind, lastUse: .now)
        #expect(spares.take(secure.kind) === secure.easy)
        #expect(spares.take(secure.kind) == nil)
        #expect(spares.take(plain.kind) === plain.easy)
    }

    @Test func aHandleHasItsLastHop() throws {
        let loop = try LooseLoop(Self.http)
        var kept = 0
        var last = try hop(loop)
        loop.spares.add(last.easy, last.kind, lastUse: .now)
        repeat {
            let next = try hop(loop)
            if next.easy === last.easy { kept += 1 }
            last = next
            loop.spares.add(last.easy, last.kind, lastUse: .now)
        } while kept + 1 == last.easy.hops && kept < 2 * SpareHandles.mostHops
        #expect(kept == SpareHandles.mostHops - 1)
    }

    @Test func manyHandlesAreNotKept() throws {
        let loop = try LooseLoop(Self.http)
        let hops = try (0..<2 * SpareHandles.most).map { _ in try hop(loop) }
        var spares = SpareHandles()
        for hop in hops { spares.add(hop.easy, hop.kind, lastUse: .now) }
        var count = 0
        while spares.take(hops[0].kind) != nil { count += 1 }
        #expect(count == SpareHandles.most)
    }

    @Test func unusedHandlesAreFreed() throws {
        let loop = try LooseLoop(Self.http)
        var hops = try (0..<3).map { _ in try hop(loop) }
        let now = Moment.now
        var spares = SpareHandles()
        for (hop, age) in zip(hops, [600, 120, 0]) { spares.add(hop.easy, hop.kind, lastUse: now + .seconds(-age)) }
        let handles = hops.map { Weak($0.easy) }
        hops = []
        #expect(handles.map { $0.easy != nil } == [true, true, true])
        spares.removeIdle(now)
        #expect(handles.map { $0.easy != nil } == [false, false, true])
        spares.removeAll()
        #expect(handles.map { $0.easy != nil } == [false, false, false])
    }

    private struct Weak {
        weak var easy: CurlEasyHandle?

        init(_ easy: CurlEasyHandle) {
            self.easy = easy
        }
    }
}

/// The same with a server, where libcurl can use handles again.
@Suite(.enabled(if: LibcurlWorkarounds.canReuseHandles))
struct UsedHandleTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/ok", respond: .text("ok"))
    }

    /// The handles whose last request was one to the server.
    private var handles: Set<UInt> { OptionRecorder.handles(withUrl: server.url("/").absoluteString) }

    @Test func usualRequestsUseOneHandle() async throws {
        try await OptionRecorder.recording {
            let sender = try makeSender()
            var all: Set<UInt> = []
            for number in 0..<20 {
                let path = ["/ok", "/ok?a=1", "/ok?a=%2F", "/ok?\(number)"][number % 4]
                server.forgetRequests()
                let headers: HttpHeaders = number % 3 == 0 ? ["X-A": "\(number)"] : [:]
                #expect(try await sender.text(.get, server.url(path), headers: headers) == "ok")
                let request = try #require(server.requests.last)
                #expect(request.target == path)
                #expect(request.headers["X-A"] == headers["X-A"])
                #expect(handles.count == 1)
                all.formUnion(handles)
            }
            #expect(all.count == 1)
            #expect(server.counts.connectionsAccepted == 1)
            await sender.shutdown(drain: .seconds(30))
            #expect(handles.isEmpty)
        }
    }

    /// The timeout of a request is not the next one's, and its metrics are its own.
    @Test func aSlowRequestAfterAShortTimeoutSucceeds() async throws {
        let sender = try makeSender()
        server.on(.get, "/slow", respond: .text("ok").delayed(by: .seconds(2)))
        _ = try await sender.send(.get, server.url("/ok"), options: RequestOptions(timeout: .seconds(1))).value
        let response = try await sender.send(.get, server.url("/slow")).value
        #expect(response.text == "ok")
        #expect(response.metrics.total >= .seconds(2))
        #expect(response.metrics.bytesReceived == 2)
    }

    @Test(arguments: ["/cut", "/late", "/dropped"])
    func theHandleOfAFailureIsFreed(path: String) async throws {
        try await OptionRecorder.recording {
            let sender = try makeSender()
            server.on(.get, "/cut", respond: .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12").closing())
            server.on(.get, "/late", respond: .text("ok").delayed(by: .seconds(60)))
            server.on(.get, "/dropped") { _ in .close }
            for _ in 0..<3 {
                _ = try await sender.send(.get, server.url("/ok")).value
                #expect(handles.count == 1)
                _ = await sender.send(.get, server.url(path), options: RequestOptions(timeout: .seconds(2))).end()
                await eventually("the handle is freed") { handles.isEmpty }
            }
        }
    }

    @Test func theHandleOfACanceledRequestIsFreed() async throws {
        try await OptionRecorder.recording {
            let sender = try makeSender()
            server.on(.get, "/late", respond: .text("ok").delayed(by: .seconds(60)))
            _ = try await sender.send(.get, server.url("/ok")).value
            let request = sender.send(.get, server.url("/late"))
            await eventually("it is sent") { server.requestCount("/late") == 1 }
            request.cancel()
            await eventually("the handle is freed") { handles.isEmpty }
        }
    }

    @Test func aBurstLeavesFewHandles() async throws {
        try await OptionRecorder.recording {
            let sender = try makeSender { $0.limits.requestsPerOrigin = 200 }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<200 {
                    group.addTask { [server] in _ = await sender.send(.get, server.url("/ok")).end() }
                }
            }
            await eventually("at most some are kept") { handles.count <= SpareHandles.most }
            #expect(!handles.isEmpty)
        }
    }

    /// The hop after a redirect may have the handle of the hop before it.
    @Test func aRedirectUsesTheHandle() async throws {
        try await OptionRecorder.recording {
            let sender = try makeSender()
            server.on(.get, "/away", respond: .redirect(to: server.url("/ok?b=2").absoluteString))
            for _ in 0..<3 {
                let response = try await sender.send(.get, server.url("/away"), headers: ["X-A": "1"]).value
                #expect(response.text == "ok")
                #expect(handles.count == 1)
            }
        }
    }
}
#endif
