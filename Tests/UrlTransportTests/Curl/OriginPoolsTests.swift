#if os(Linux)
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known of a server's addresses.
struct OriginPoolsTests {
    private let pools: OriginPools
    private let handles: MultiHandles

    init() throws {
        let wakeUp = try #require(WakeUp())
        let sockets = try #require(EpollSet(wakeUp: wakeUp.descriptor))
        handles = try #require(MultiHandles(sockets, mostIdle: 1))
        let url = try #require(URL(string: "http://a.test/"))
        let origin = Origin(url)
        pools = OriginPools(OriginPools.Key(origin: origin, mayBeHttp2: false), handles)
    }

    private func time(_ seconds: Int) -> Moment { Moment(nanoseconds: 1 << 40) + .seconds(seconds) }

    @Test func aConnectIsWorthAnotherAttemptAfterALaterHopHasConnected() {
        pools.doubtAddresses(time(10))
        #expect(!pools.mayHaveMoved(since: time(3)))
        pools.didConnect(started: time(11))
        #expect(pools.mayHaveMoved(since: time(3)))
        #expect(pools.mayHaveMoved(since: time(10)))
        // It has the new addresses.
        #expect(!pools.mayHaveMoved(since: time(11)))
        #expect(!pools.mayHaveMoved(since: time(12)))
    }

    @Test func aConnectionToTheOldAddressesShowsNothing() {
        pools.didConnect(started: time(1))
        pools.doubtAddresses(time(10))
        pools.didConnect(started: time(9))
        #expect(!pools.mayHaveMoved(since: time(0)))
    }
}
#endif
