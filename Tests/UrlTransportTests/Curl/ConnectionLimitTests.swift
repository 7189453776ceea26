#if os(Linux)
import Testing

@testable import UrlTransport

struct ConnectionLimitTests {
    @Test(arguments: [
        // Without transfers, what may be idle; libcurl takes no limit below 1.
        (Int32(0), 0, 2, 2), (0, 0, 0, 1), (1, 1, 0, 1),
        // The connection of the transfer that ends next may become idle; those of the others are in use.
        (1, 1, 2, 2), (3, 3, 2, 4), (3, 5, 2, 4),
    ])
    func connectionsInUseLeaveRoomForTheIdleOnes(running: Int32, connections: Int, mostIdle: Int, limit: Int) {
        var counts = ConnectionLimit(IdleCounter(most: mostIdle))
        counts.runningHops = running
        counts.connections = connections
        let first = counts.takeChange()
        #expect(first == limit)
        let second = counts.takeChange()
        #expect(second == nil)
    }

    @Test func multiHandlesShareTheIdleConnections() {
        let idle = IdleCounter(most: 2)
        var (first, second) = (ConnectionLimit(idle), ConnectionLimit(idle))
        first.connections = 2
        #expect(idle.count == 2)
        second.runningHops = 1
        second.connections = 1
        let limit = second.takeChange()
        #expect(limit == 1)
        first.connections = 0
        #expect(idle.count == 0)
        let other = second.takeChange()
        #expect(other == 2)
    }
}
#endif
