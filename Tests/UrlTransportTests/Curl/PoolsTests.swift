#if os(Linux)
import HttpMessages
import Testing

@testable import UrlTransport

/// What the pools decide about multi handles, without libcurl.
struct PoolsTests {
    @Test(arguments: [
        // Without transfers, what may be idle; libcurl takes no limit below 1.
        (Int32(0), 0, 2, 2), (0, 0, 0, 1), (1, 1, 0, 1),
        // The connection of the transfer that ends next may become idle; those of the others are in use.
        (1, 1, 2, 2), (3, 3, 2, 4), (3, 5, 2, 4),
    ])
    func connectionsInUseAreNotCountedAsIdle(running: Int32, connections: Int, mostIdle: Int, limit: Int) {
        let pools = Pools(requestsPerOrigin: 1, mostIdle: mostIdle)
        let load = pools.addMulti()
        set(load, running: running, connections: connections)
        #expect(pools.takeConnectionLimit(of: load) == limit)
        #expect(pools.takeConnectionLimit(of: load) == nil)
    }

    /// libcurl 8.14 would let it wait until its timeout.
    @Test(arguments: ["https", "http"]) func withoutTlsNoRequestWaitsInsideLibcurl(scheme: String) throws {
        let pools = Pools(requestsPerOrigin: 1, mostIdle: 1)
        let load = pools.addMulti()
        let pool = pools.pool(of: Origin(scheme: scheme, host: "a.test", port: nil))
        let part = try #require(pool.start(mayBeHttp2: true, shares: true, hasSlot: true))
        #expect(part.mayWaitForConnection == (scheme == "https"))
        #expect(load.waitingForConnection == (scheme == "https" ? 1 : 0))
    }

    private func set(_ load: MultiLoad, running: Int32 = 0, connections: Int) {
        load.connections = connections
        load.running = running
    }

    @Test func multiHandlesShareTheIdleConnections() {
        let pools = Pools(requestsPerOrigin: 1, mostIdle: 2)
        let (first, second) = (pools.addMulti(), pools.addMulti())
        set(first, connections: 2)
        set(second, running: 1, connections: 1)
        #expect(pools.takeConnectionLimit(of: second) == 1)
        set(first, connections: 0)
        #expect(pools.takeConnectionLimit(of: second) == 2)
    }

    /// A multi handle: whether it is for HTTP/2, its hops and its connections.
    private typealias Multi = (mayBeHttp2: Bool?, hops: Int, connections: Int)

    @Test(
        arguments: [
            // The first one of each kind stays.
            ([(nil, 0, 0)], nil), ([(false, 0, 0), (true, 0, 0)], nil), ([(false, 0, 9)], nil),
            // Others have transfers or connections.
            ([(false, 0, 0), (false, 1, 0)], nil), ([(false, 0, 0), (false, 0, 1)], nil),
            ([(true, 0, 0), (true, 0, 1), (true, 0, 0)], 2), ([(false, 0, 0), (nil, 0, 0)], 1),
            // Too many are idle: one a handle is allowed beyond the limit of 2.
            ([(false, 0, 2), (false, 0, 2)], nil), ([(false, 0, 2), (false, 0, 3)], 1),
            ([(false, 0, 2), (false, 1, 3)], nil),
        ] as [([(Bool?, Int, Int)], Int?)])
    func unusedMultiHandlesAreClosed(multis: [(Bool?, Int, Int)], closed: Int?) {
        let pools = Pools(requestsPerOrigin: 1, mostIdle: 2)
        for multi in multis as [Multi] {
            let load = pools.addMulti()
            (load.mayBeHttp2, load.hops) = (multi.mayBeHttp2, multi.hops)
            set(load, running: 0, connections: multi.connections)
        }
        #expect(pools.unusedMulti() == closed)
    }

    @Test func aClosedMultiHandleHasNoParts() throws {
        let pools = Pools(requestsPerOrigin: 1, mostIdle: 2)
        let pool = pools.pool(of: origin(0))
        _ = pools.addMulti()
        let second = pools.addMulti()
        let part = try #require(pool.start(mayBeHttp2: false, shares: false, hasSlot: false))
        part.didEnd(shares: false, hasStartedSending: false, hasFailed: false)
        pools.removeMulti(at: 0)
        #expect(second.index == 0)
        let next = try #require(pool.start(mayBeHttp2: true, shares: false, hasSlot: false))
        #expect(next.load === second)
    }

    private func origin(_ number: Int) -> Origin { Origin(scheme: "http", host: "\(number).test", port: nil) }

    @Test func ofManyPoolsThoseInUseStay() {
        let pools = Pools(requestsPerOrigin: 1, mostIdle: 2)
        let used = pools.pool(of: origin(0))
        #expect(used.admit(0, shares: false) == nil)
        let unused = pools.pool(of: origin(1))
        #expect(pools.pool(of: origin(1)) === unused)
        for number in 2...1_000 { _ = pools.pool(of: origin(number)) }
        #expect(pools.pool(of: origin(0)) === used)
        #expect(pools.pool(of: origin(1)) !== unused)
    }
}
#endif
