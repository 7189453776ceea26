#if os(Linux)
import CNetChainCurl
import Glibc
import NetChainTestKit
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The table of connections with real sockets, and without libcurl.
struct ConnectionTableTests {
    private let sockets: EpollSet
    private let table: ConnectionTable
    private let server: LoopbackServer

    init() throws {
        let wakeUp = try #require(WakeUp())
        sockets = try #require(EpollSet(wakeUp: wakeUp.descriptor))
        table = ConnectionTable(sockets)
        server = try LoopbackServer()
    }

    /// Opens a socket through the table and connects it to the server.
    private func connect() throws -> (socket: Int32, addresses: Connection.Addresses) {
        var wanted = curl_sockaddr()
        wanted.family = AF_INET
        wanted.socktype = Int32(SOCK_STREAM.rawValue)
        let socket = table.open(wanted)
        try #require(socket >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(server.port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.connect(socket, address, length) + getsockname(socket, address, &length)
            }
        }
        try #require(result == 0)
        let port = Int32(in_port_t(bigEndian: address.sin_port))
        return (
            socket, Connection.Addresses(remote: "127.0.0.1", remotePort: Int32(server.port), localPort: port)
        )
    }

    private func willSend(
        _ addresses: Connection.Addresses, isNew: Bool = false, expectsSilence: Bool = true
    ) -> (connection: Connection?, check: Connection.Check) {
        table.willSend(over: addresses, isNew: isNew, expectsSilence: expectsSilence)
    }

    /// Waits until there is something to read.
    private func waitForBytes(_ socket: Int32) {
        var one = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        #expect(poll(&one, 1, 10_000) == 1)
    }

    @Test func aConnectionIsFoundByItsAddresses() throws {
        let connections = try (0..<3).map { _ in try connect() }
        for (socket, addresses) in connections.reversed() {
            let (connection, check) = willSend(addresses, isNew: true)
            #expect(connection?.socket == socket)
            #expect(check == .send)
        }
        let other = Connection.Addresses(remote: "127.0.0.1", remotePort: 1, localPort: 1)
        #expect(willSend(other).connection == nil)
        for (socket, _) in connections { close(socket) }
    }

    @Test(arguments: [true, false])
    func bytesBeforeTheFirstRequestAreUnsolicited(expectsSilence: Bool) throws {
        server.onConnect(.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)))
        let (socket, addresses) = try connect()
        waitForBytes(socket)
        let check = willSend(addresses, isNew: true, expectsSilence: expectsSilence).check
        #expect(check == (expectsSilence ? .unsolicitedData : .send))
        close(socket)
    }

    @Test func aConnectionThatItsServerHasClosedGetsNoFirstRequest() throws {
        server.onConnect(.close)
        let (socket, addresses) = try connect()
        waitForBytes(socket)
        #expect(willSend(addresses, isNew: true).check == .closed)
        close(socket)
    }

    @Test func bytesBetweenTwoRequestsMakeAConnectionOfHttp1Unusable() throws {
        server.onConnect(.send(Array("x".utf8)))
        let (socket, addresses) = try connect()
        let connection = try #require(willSend(addresses).connection)
        connection.didReceiveStatusLine(isHttp1: true)
        connection.didEnd(.ended, sent: .now)
        waitForBytes(socket)
        #expect(willSend(addresses).check == .reconnect)
        #expect(connection.health == .closing)
        // It is shut down and emptied.
        var byte: UInt8 = 0
        #expect(recv(socket, &byte, 1, 0) == 0)
        close(socket)
    }

    @Test func aConnectionThatWasSilentForATimeoutGetsNoRequestBeforeAByte() throws {
        let (socket, addresses) = try connect()
        let sent = Moment.now
        let connection = try #require(willSend(addresses).connection)
        #expect(willSend(addresses).check == .send)
        #expect(table.multiplexed == [socket])
        connection.didEnd(.timedOut, sent: sent)
        #expect(willSend(addresses).check == .reconnect)
        connection.didReceive()
        #expect(willSend(addresses).check == .send)
        close(socket)
    }

    /// The times are those of a request that was sent at zero: its last byte, if it had one, and its end.
    @Test(
        arguments: [
            (.timedOut, nil, .milliseconds(200), true), (.timedOut, .milliseconds(1), .milliseconds(200), true),
            (.timedOut, .milliseconds(180), .milliseconds(200), false), (.timedOut, .seconds(9), .seconds(10), true),
            (.timedOut, .milliseconds(9_600), .seconds(10), false), (.timedOut, .seconds(100), .seconds(130), true),
            (.canceled, nil, .milliseconds(900), false), (.canceled, nil, .seconds(1), true),
            (.canceled, .seconds(9), .milliseconds(9_900), false), (.canceled, .seconds(9), .seconds(10), true),
            (.failed, nil, .milliseconds(1), true), (.failed, .seconds(1), .seconds(10), false),
            (.ended, .seconds(1), .seconds(10), false),
        ] as [(Connection.RequestEnd, Duration?, Duration, Bool)])
    func theLengthOfTheSilenceMakesAConnectionSuspect(
        end: Connection.RequestEnd, lastByte: Duration?, time: Duration, isSuspect: Bool
    ) {
        let connection = Connection(socket: -1)
        connection.health = .busy(requests: 1)
        let sent = Moment(nanoseconds: 1 << 40)
        if let lastByte { connection.didReceive(sent + lastByte) }
        connection.didEnd(end, sent: sent, now: sent + time)
        #expect(connection.health == (isSuspect ? .suspect(requests: 0) : .idle))
        #expect(connection.idleSince == sent + time)
    }

    /// It had a byte for an earlier request.
    @Test func aConnectionThatIsSilentSinceTheRequestWasSentIsSuspect() {
        let connection = Connection(socket: -1)
        connection.health = .busy(requests: 1)
        let sent = Moment(nanoseconds: 1 << 40)
        connection.didReceive(sent + .seconds(-10))
        connection.didEnd(.canceled, sent: sent, now: sent + .milliseconds(500))
        #expect(connection.health == .idle)
        connection.health = .busy(requests: 1)
        connection.didEnd(.timedOut, sent: sent, now: sent + .milliseconds(500))
        #expect(connection.health == .suspect(requests: 0))
    }

    /// A request over a new connection, which is idle then.
    private func connectAndBeIdle() throws -> (socket: Int32, connection: Connection) {
        let (socket, addresses) = try connect()
        let connection = try #require(willSend(addresses, isNew: true).connection)
        table.didEnd(.ended, over: connection, sent: .now)
        return (socket, connection)
    }

    @Test func afterAChangeOfTheNetworkLibcurlIsMadeToCloseIdleConnections() throws {
        let (socket, _) = try connectAndBeIdle()
        defer { close(socket) }
        #expect(!table.shutDownIdle(.now))
        table.networkDidChange()
        #expect(table.nextIdleCheck == .past)
        #expect(table.shutDownIdle(.now))
        #expect(table.nextIdleCheck == nil)
    }

    /// Thousands of connections may become idle one after the other, and a check reads all.
    @Test func idleConnectionsAreCheckedOnceASecondAtMost() throws {
        let (first, second) = (try connectAndBeIdle(), try connectAndBeIdle())
        defer { for socket in [first.socket, second.socket] { close(socket) } }
        let end = try #require(first.connection.idleSince) + .seconds(50)
        #expect(table.shutDownIdle(end))
        #expect(second.connection.health == .idle)
        #expect(table.nextIdleCheck == end + .seconds(1))
        #expect(table.shutDownIdle(end + .seconds(1)))
        #expect(second.connection.health == .closing && table.nextIdleCheck == nil)
    }

    @Test(arguments: [nil, 3, Int64.max] as [Int64?])
    func theSystemLimitsTheSilenceOfAHost(seconds: Int64?) {
        let table = ConnectionTable(sockets, userTimeout: seconds.map { .seconds($0) })
        let address = curl_sockaddr(
            family: AF_INET, socktype: Int32(SOCK_STREAM.rawValue), protocol: 0, addrlen: 0, addr: sockaddr())
        let socket = table.open(address)
        defer { close(socket) }
        func option(_ level: Int32, _ name: Int32) -> Int32 {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(socket, level, name, &value, &length)
            return value
        }
        #expect(option(SOL_SOCKET, SO_KEEPALIVE) == (seconds == nil ? 0 : 1))
        #expect(option(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT) == min(seconds ?? 0, 2_000_000) * 1000)
        guard let seconds else { return }
        // The system takes no more.
        #expect(option(Int32(IPPROTO_TCP), TCP_KEEPIDLE) == (seconds == 3 ? 1 : 32_767))
        #expect(option(Int32(IPPROTO_TCP), TCP_KEEPINTVL) == (seconds == 3 ? 1 : 10_922))
    }
}
#endif
