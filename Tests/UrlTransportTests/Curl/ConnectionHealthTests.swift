#if os(Linux)
import Testing

@testable import UrlTransport

struct ConnectionHealthTests {
    @Test(arguments: [
        (ConnectionHealth.connecting, false, ConnectionHealth.busy(requests: 1), ConnectionHealth.Decision.send),
        (.idle, true, .busy(requests: 1), .check),
        (.idle, false, .busy(requests: 1), .send),
        // libcurl passes a connection of HTTP/1 on before it reports the end of its last request.
        (.busy(requests: 1), true, .busy(requests: 2), .check),
        (.busy(requests: 1), false, .busy(requests: 2), .send),
        (.suspect(requests: 2), false, .suspect(requests: 2), .avoid(shutsDown: false)),
        (.suspect(requests: 0), false, .closing, .avoid(shutsDown: true)),
        (.closing, true, .closing, .avoid(shutsDown: false)),
    ])
    func aRequestIsSentByTheHealth(
        before: ConnectionHealth, isHttp1: Bool, after: ConnectionHealth, decision: ConnectionHealth.Decision
    ) {
        var health = before
        let made = health.willSend(isHttp1: isHttp1, lastResponseIsWhole: true, isExpired: false)
        #expect(made == decision)
        #expect(health == after)
    }

    @Test(arguments: [(Int64(0), Duration.zero), (1, .milliseconds(500)), (2, .seconds(1)), (60, .seconds(59))])
    func anIdleConnectionIsUsedUntilShortlyBeforeItsServerClosesIt(announced: Int64, limit: Duration) {
        let connection = Connection(socket: -1)
        connection.didReceiveKeepAlive(seconds: announced)
        connection.didEnd(.ended, sent: .now)
        let end = Moment.now + limit
        #expect(connection.isPastKeepAlive(end))
        if limit > .zero { #expect(!connection.isPastKeepAlive(end + .milliseconds(-300))) }
    }

    @Test(arguments: [
        (ConnectionHealth.busy(requests: 1), false, ConnectionHealth.idle),
        (.busy(requests: 3), false, .busy(requests: 2)),
        (.busy(requests: 1), true, .suspect(requests: 0)),
        (.busy(requests: 3), true, .suspect(requests: 2)),
        (.suspect(requests: 2), false, .suspect(requests: 1)),
        (.suspect(requests: 0), false, .suspect(requests: 0)),
        (.closing, false, .closing), (.closing, true, .closing),
        (.idle, false, .idle), (.connecting, true, .connecting),
    ])
    func anEndOfARequestChangesTheHealth(before: ConnectionHealth, isSilent: Bool, after: ConnectionHealth) {
        var health = before
        health.didEnd(isSilent: isSilent)
        #expect(health == after)
    }

    @Test(arguments: [
        (ConnectionHealth.suspect(requests: 0), ConnectionHealth.idle),
        (.suspect(requests: 2), .busy(requests: 2)), (.busy(requests: 1), .busy(requests: 1)), (.closing, .closing),
    ])
    func aByteClearsTheSuspicion(before: ConnectionHealth, after: ConnectionHealth) {
        var health = before
        health.didReceive()
        #expect(health == after)
    }

    @Test func aConnectionOfHttp1GetsNoRequestBeforeItsResponse() {
        var busy = ConnectionHealth.busy(requests: 1)
        let decision = busy.willSend(isHttp1: true, lastResponseIsWhole: false, isExpired: false)
        #expect(decision == .avoid(shutsDown: false))
        #expect(busy == .busy(requests: 1))
    }

    @Test func anIdleConnectionThatTheServerIsAboutToCloseIsShutDown() {
        var idle = ConnectionHealth.idle
        let decision = idle.willSend(isHttp1: true, lastResponseIsWhole: true, isExpired: true)
        #expect(decision == .avoid(shutsDown: true))
        #expect(idle == .closing)
        var busy = ConnectionHealth.busy(requests: 1)
        let other = busy.willSend(isHttp1: false, lastResponseIsWhole: false, isExpired: true)
        #expect(other == .send)
    }

    @Test(arguments: [
        (ConnectionHealth.idle, ConnectionHealth.closing, true), (.busy(requests: 2), .suspect(requests: 2), false),
        (.suspect(requests: 1), .suspect(requests: 1), false), (.connecting, .connecting, false),
        (.closing, .closing, false),
    ])
    func afterAChangeOfTheNetworkAConnectionMustShowThatItLives(
        before: ConnectionHealth, after: ConnectionHealth, shutsDown: Bool
    ) {
        var health = before
        let isShutDown = health.networkDidChange()
        #expect(isShutDown == shutsDown)
        #expect(health == after)
    }

    @Test func aFailedCheckIsForGood() {
        var health = ConnectionHealth.idle
        _ = health.willSend(isHttp1: true, lastResponseIsWhole: true, isExpired: false)
        health = .closing
        health.didEnd(isSilent: false)
        let decision = health.willSend(isHttp1: true, lastResponseIsWhole: true, isExpired: false)
        #expect(decision == .avoid(shutsDown: false))
    }
}
#endif
