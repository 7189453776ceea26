#if os(Linux)
import Testing

@testable import UrlTransport

/// Which requests start, and where, without libcurl and without sockets.
struct PoolTests {
    private enum Event: Sendable {
        /// The next request; whether it may share a connection.
        case request(shares: Bool)
        /// A request opens a connection, and is sent over it.
        case connect(Int)
        /// A request is sent over the connection of another one.
        case share(Int, streams: Int)
        case response(Int, isHttp1: Bool)
        /// A request could not connect.
        case fail(Int)
        /// A request completes, or is canceled in its slot or in the queue.
        case end(Int)
        /// The connection of a request is closed.
        case close(Int)
        case rejectHttp2
    }

    /// Does what a pool decides, and records it.
    private struct Loop {
        let pools: Pools
        let pool: Pool
        var requests: [(shares: Bool, position: Int?, part: Pool.Part?, isSent: Bool)] = []
        /// In the order of their start.
        var started: [Int] = []

        init(requestsPerOrigin: Int) {
            pools = Pools(requestsPerOrigin: requestsPerOrigin, mostIdle: 2)
            pool = pools.pool(of: Origin(scheme: "https", host: "a.test", port: nil))
        }

        mutating func process(_ event: Event) {
            switch event {
            case .request(let shares):
                let position = pool.admit(requests.count, shares: shares)
                requests.append((shares, position, nil, false))
                if position == nil { start(requests.count - 1) }
            case .connect(let number):
                requests[number].part?.updateAdmission { $0.didFindNoConnection() }
                requests[number].part?.didOpenConnection()
                send(number, isFirst: true, streams: 1)
            case .share(let number, let streams): send(number, isFirst: false, streams: streams)
            case .response(let number, let isHttp1):
                requests[number].part?.updateAdmission { $0.didReceive(isHttp1: isHttp1) }
            case .fail(let number): end(number, hasFailed: true)
            case .end(let number): end(number, hasFailed: false)
            case .close(let number): requests[number].part?.didCloseConnection(isCounted: true)
            case .rejectHttp2: pool.requiresHttp1 = true
            }
            for pool in pools.takeReady() {
                while let next = pool.next() { start(next) }
            }
            pools.endIteration()
        }

        private mutating func start(_ number: Int) {
            started.append(number)
            let shares = requests[number].shares && !pool.requiresHttp1
            var part = pool.start(mayBeHttp2: shares, shares: shares, hasSlot: true)
            if part == nil {
                _ = pools.addMulti()
                part = pool.start(mayBeHttp2: shares, shares: shares, hasSlot: true)
            }
            requests[number].part = part
        }

        private mutating func send(_ number: Int, isFirst: Bool, streams: Int) {
            requests[number].isSent = true
            requests[number].part?.updateAdmission { $0.didStartSending(isFirst: isFirst, streams: streams) }
        }

        private mutating func end(_ number: Int, hasFailed: Bool) {
            let request = requests[number]
            request.part?.didEnd(
                shares: request.shares && !pool.requiresHttp1, hasStartedSending: request.isSent, hasFailed: hasFailed)
            pool.release(position: request.position)
        }
    }

    private static let alone = Event.request(shares: false)
    private static let shared = Event.request(shares: true)

    @Test(
        arguments: [
            // A slot each, first in, first out.
            (2, [alone, alone, alone, alone], [0, 1]), (2, [alone, alone, alone, alone, .end(1)], [0, 1, 2]),
            (1, [alone, alone, alone, .end(1), .end(0)], [0, 2]),
            (1, [alone, alone, alone, .end(0), .end(1), alone], [0, 1, 2]),
            (1, [alone, alone, .end(1), alone, .end(0), .end(2)], [0, 2]),
            // Until the first response, one request looks for a connection at a time.
            (9, [shared, shared, shared], [0]), (9, [shared, shared, shared, .connect(0)], [0, 1]),
            (9, [shared, shared, shared, .connect(0), .response(0, isHttp1: false)], [0, 1, 2]),
            (2, [shared, shared, shared, .connect(0), .response(0, isHttp1: false)], [0, 1]),
            // A request that shares nothing waits behind those that do.
            (9, [shared, shared, alone], [0]), (9, [shared, shared, alone, .end(1), .connect(0)], [0, 2]),
            // Those behind a request that leaves the queue don't wait for what it waited for.
            (9, [shared, shared, alone, alone, .end(1)], [0, 2, 3]),
            // With HTTP/1, and without a connection, none waits.
            (9, [shared, shared, shared, .connect(0), .response(0, isHttp1: true)], [0, 1, 2]),
            (9, [shared, shared, shared, .fail(0)], [0, 1, 2]),
            // What was known of closed connections is forgotten.
            (9, [shared, .connect(0), .response(0, isHttp1: true), .end(0), .close(0), shared, shared], [0, 1]),
            // All streams of a connection are in use: the next request opens another one.
            (
                9,
                [
                    shared, .connect(0), .response(0, isHttp1: false), shared, .share(1, streams: 2), shared,
                    .connect(2),
                ],
                [0, 1, 2]
            ),
            // The server has rejected HTTP/2.
            (9, [shared, .connect(0), .rejectHttp2, shared, shared, shared], [0, 1, 2, 3]),
        ] as [(Int, [Event], [Int])])
    private func requestsStart(requestsPerOrigin: Int, events: [Event], started: [Int]) {
        var loop = Loop(requestsPerOrigin: requestsPerOrigin)
        for event in events { loop.process(event) }
        #expect(loop.started == started)
    }

    @Test func aRequestGoesWhereItsOriginHasAConnection() {
        var loop = Loop(requestsPerOrigin: 1_000)
        for _ in 0..<MultiLoad.capacity + 1 { loop.process(Self.alone) }
        for number in 0..<MultiLoad.capacity {
            loop.requests[number].part?.didOpenConnection()
        }
        loop.process(Self.alone)
        let parts = loop.requests.map { $0.part?.load.index }
        #expect(parts.prefix(MultiLoad.capacity + 1).allSatisfy { $0 == 0 })
        #expect(parts.last == 1)
        // Fewer hops than connections.
        for number in 0..<2 { loop.process(.end(number)) }
        loop.process(Self.alone)
        #expect(loop.requests.last?.part?.load.index == 0)
        // HTTP/2 has multi handles of its own.
        loop.process(Self.shared)
        #expect(loop.requests.last?.part?.load.index == 2)
    }

    @Test func requestsOfARedirectAreNotQueued() {
        let loop = Loop(requestsPerOrigin: 1)
        _ = loop.pools.addMulti()
        let parts = (0..<3).map { _ in loop.pool.start(mayBeHttp2: false, shares: false, hasSlot: false) }
        #expect(parts.allSatisfy { $0 === parts[0] && $0 != nil })
    }

    // MARK: Addresses

    private func time(_ seconds: Int) -> Moment { Moment(nanoseconds: 1 << 40) + .seconds(seconds) }

    @Test func aDoubtIsSettledOnceInEachMultiHandle() throws {
        let loop = Loop(requestsPerOrigin: 1)
        let parts = try [false, true].map {
            _ = loop.pools.addMulti()
            return try #require(loop.pool.start(mayBeHttp2: $0, shares: false, hasSlot: false))
        }
        #expect(parts.map { $0.settleDoubt() } == [false, false])
        for _ in 0..<2 {
            loop.pool.doubtAddresses()
            #expect(parts.map { $0.settleDoubt() } == [true, true])
            #expect(parts.map { $0.settleDoubt() } == [false, false])
        }
    }

    @Test func aConnectIsWorthAnotherAttemptAfterALaterHopHasConnected() {
        let pool = Loop(requestsPerOrigin: 1).pool
        // A connection to the old addresses shows nothing.
        pool.didConnect(started: time(1))
        pool.doubtAddresses(time(10))
        pool.didConnect(started: time(9))
        #expect(!pool.mayHaveMoved(since: time(0)))
        pool.didConnect(started: time(11))
        #expect(pool.mayHaveMoved(since: time(3)))
        #expect(pool.mayHaveMoved(since: time(10)))
        // It has the new addresses.
        #expect(!pool.mayHaveMoved(since: time(11)))
        #expect(!pool.mayHaveMoved(since: time(12)))
    }
}
#endif
