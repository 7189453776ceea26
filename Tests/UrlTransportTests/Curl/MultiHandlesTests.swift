#if os(Linux)
import CNetChainCurl
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The multi handles of an event loop, without the loop.
struct MultiHandlesTests {
    @Test func aNewTransferStartsAlthoughTheTimeSliceIsUsed() throws {
        let wakeUp = try #require(WakeUp())
        let sockets = try #require(EpollSet(wakeUp: wakeUp.descriptor))
        let pools = Pools(requestsPerOrigin: 1, mostIdle: 1)
        let handles = try #require(MultiHandles(sockets, pools))
        defer { handles.close() }
        let url = try #require(URL(string: "https://a.test/"))
        let pool = pools.pool(of: Origin(url))
        let multis = try [false, true].map {
            try #require(handles.start(in: pool, mayBeHttp2: $0, shares: false, hasSlot: false)?.multi)
        }
        // The first one has timeouts that are due, the other one a new transfer, which fails at once.
        multis[0].requestVisit()
        let easy = try #require(CurlEasyHandle())
        easy.set(CURLOPT_URL, "nothing://a.test/")
        #expect(multis[1].add(easy.raw) == CURLM_OK)
        handles.processTimeouts(since: .past)
        #expect(multis[1].nextCompleted()?.result == CURLE_UNSUPPORTED_PROTOCOL)
        #expect(multis[0].nextTimeout == .past)
        handles.processTimeouts(since: .past)
        #expect(multis[0].nextTimeout == .past)
        handles.processTimeouts()
        #expect(multis[0].nextTimeout == nil)
        multis[1].remove(easy.raw, isCompleted: true)
    }
}
#endif
