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
        let handles = try #require(MultiHandles(sockets, mostIdle: 1))
        defer { handles.close() }
        let url = try #require(URL(string: "https://a.test/"))
        let origin = Origin(url)
        let multis = try [false, true].map {
            try #require(handles.acquirePool(origin, mayBeHttp2: $0, shares: false, waiting: 1)?.multi)
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

    @Test func aDoubtIsSettledOnceInEachMultiHandle() throws {
        let wakeUp = try #require(WakeUp())
        let sockets = try #require(EpollSet(wakeUp: wakeUp.descriptor))
        let handles = try #require(MultiHandles(sockets, mostIdle: 1))
        defer { handles.close() }
        let urls = try ["https://a.test/", "https://b.test/"].map { try #require(URL(string: $0)) }
        let origins = urls.map { Origin($0) }
        let multis = try [false, true].map {
            try #require(handles.acquirePool(origins[0], mayBeHttp2: $0, shares: false, waiting: 1)?.multi)
        }
        func settle() -> [Bool] { multis.map { handles.settleDoubt(of: origins[0], in: $0) } }
        #expect(settle() == [false, false])
        for _ in 0..<2 {
            handles.doubtAddresses(of: origins[0])
            #expect(!handles.settleDoubt(of: origins[1], in: multis[0]))
            #expect(settle() == [true, true])
            #expect(settle() == [false, false])
        }
    }
}
#endif
