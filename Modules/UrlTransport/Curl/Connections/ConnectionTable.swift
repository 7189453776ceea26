#if os(Linux)
import CNetChainCurl
import Glibc

/// The connections of one event loop, as libcurl's callbacks report them. libcurl chooses the connection of a request;
/// the table decides whether the request may be sent over it. Used by the event loop's thread alone.
final class ConnectionTable {
    private var connections: [Int32: Connection] = [:]
    /// The connections whose addresses are known.
    @exclusivity(unchecked) private var identified: [Connection.Addresses: Connection] = [:]
    /// The sockets of the other connections.
    private var unidentified: Set<Int32> = []
    /// Sockets that several requests have shared at a time.
    private(set) var multiplexed: Set<Int32> = []
    /// Whether transfers report which streams a server of HTTP/2 has not processed. That takes an eighth of the processor time
    /// of a small request, so it begins with the first request that must not be sent twice, and after an error of HTTP/2.
    var observesStreams = false
    private let sockets: EpollSet
    private let userTimeout: Duration?
    private let idleTimeout: Duration
    /// When idle connections are shut down; nil if there are none.
    private(set) var nextIdleCheck: Moment?
    /// When the network changed last, as the application says.
    private(set) var networkChange: Moment?

    /// - Parameters:
    ///   - userTimeout: how long a host may acknowledge nothing; nil for the system's limit.
    ///   - idleTimeout: how long a connection may be idle.
    init(_ sockets: EpollSet, userTimeout: Duration? = nil, idleTimeout: Duration = .seconds(50)) {
        self.sockets = sockets
        self.userTimeout = userTimeout
        self.idleTimeout = idleTimeout
        sockets.onUnreportedClose = { [unowned self] in willClose($0) }
    }

    // MARK: Sockets

    /// Opens a socket for libcurl. Returns -1 and sets `errno` if the system can't, or if the process has nearly as many
    /// open files as it may have.
    func open(_ address: curl_sockaddr, for part: Pool.Part? = nil) -> Int32 {
        // A child process must not keep the connection open.
        let socket = Glibc.socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        guard socket >= 0 else { return -1 }
        guard socket < Self.mostDescriptors else {
            Glibc.close(socket)
            errno = EMFILE
            return -1
        }
        // libcurl has closed one with this descriptor, and hasn't reported it.
        if connections[socket] != nil { willClose(socket) }
        limitSilence(of: socket, address.family)
        let connection = Connection(socket: socket, for: part)
        connections[socket] = connection
        sockets.didOpen(connection)
        part?.didOpenConnection()
        unidentified.insert(socket)
        return socket
    }

    /// Connections get the descriptors below this one. The others are left to the rest of the process: name lookups,
    /// files, and libdispatch, which ends the process if it can't open a file.
    private static var mostDescriptors: Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let count = Int(clamping: limit.rlim_cur)
        return count - min(64, count / 8)
    }

    /// Makes the system end a connection whose host acknowledges nothing for the TCP user timeout (RFC 5482). While
    /// nothing is sent, it sends probes.
    private func limitSilence(of socket: Int32, _ family: Int32) {
        guard let userTimeout, family == AF_INET || family == AF_INET6 else { return }
        // A larger one overflows the system's milliseconds.
        let limit = min(userTimeout, .seconds(2_000_000))
        let milliseconds = Int32(limit / .milliseconds(1))
        // More than 32,767 seconds between two probes are an error of the system's.
        let seconds = Int32(min(limit.components.seconds, 65_534))
        for (level, option, value) in [
            (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, max(1, seconds / 2)),
            (Int32(IPPROTO_TCP), TCP_KEEPINTVL, max(1, seconds / 6)),
            (Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, milliseconds),
        ] {
            withUnsafePointer(to: value) {
                _ = setsockopt(socket, level, option, $0, socklen_t(MemoryLayout<Int32>.size))
            }
        }
    }

    /// Makes libcurl report the close of the sockets that `easy` opens. A connection may outlive its transfer, but not
    /// the table.
    func observeCloses(of easy: UnsafeMutableRawPointer) {
        netchain_set_close_function(
            easy,
            { context, socket in
                context.map { Unmanaged<ConnectionTable>.fromOpaque($0).takeUnretainedValue().willClose(socket) }
                return close(socket)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func willClose(_ socket: Int32) {
        sockets.willCloseConnection(socket)
        unidentified.remove(socket)
        multiplexed.remove(socket)
        guard let connection = connections.removeValue(forKey: socket) else { return }
        connection.isClosed = true
        connection.part?.didCloseConnection(isCounted: connection.isCounted)
        // Another connection has the addresses if libcurl has opened it before this close.
        guard let addresses = connection.addresses, identified[addresses] === connection else { return }
        identified[addresses] = nil
    }

    /// Records that the network has changed: no new request uses a connection that may be dead.
    func networkDidChange() {
        networkChange = .now
        for connection in connections.values where connection.health.networkDidChange() {
            Self.shutDown(connection.socket)
        }
        // Has libcurl close them.
        nextIdleCheck = .past
    }

    /// A request over the connection has ended, and it may be idle now.
    func didEnd(_ end: Connection.RequestEnd, over connection: Connection, sent: Moment) {
        let now = Moment.now
        connection.didEnd(end, sent: sent, now: now)
        if nextIdleCheck == nil { nextIdleCheck = now + idleTimeout }
    }

    /// Shuts down the connections that were idle for longer than `idleTimeout`: libcurl would close them only when a later
    /// request looks for a connection. Returns whether there are any that libcurl may have to close.
    func shutDownIdle(_ now: Moment) -> Bool {
        guard let check = nextIdleCheck, check <= now else { return false }
        nextIdleCheck = nil
        var found = false
        for connection in connections.values {
            if connection.health == .closing { found = true }
            guard let end = connection.idleSince.map({ $0 + idleTimeout }) else { continue }
            guard end <= now else {
                nextIdleCheck = .earliest(nextIdleCheck, end)
                continue
            }
            connection.health = .closing
            Self.shutDown(connection.socket)
            found = true
        }
        // A check reads all connections, and thousands may have become idle one after the other.
        nextIdleCheck = nextIdleCheck.map { max($0, now + min(.seconds(1), idleTimeout / 8)) }
        return found
    }

    /// Whether a multi handle has a connection that a later request may use.
    func hasUsable(in multi: MultiLoad) -> Bool {
        connections.values.contains { $0.health != .closing && $0.part?.load === multi }
    }

    // MARK: Requests

    /// Decides whether a request may be sent over the connection that libcurl has chosen. Returns the connection, too;
    /// nil if it is unknown or must be avoided.
    ///
    /// - Parameters:
    ///   - isNew: whether the connection was opened for this request.
    ///   - openedSocket: the socket that was opened last for this request.
    ///   - expectsSilence: whether the server sends nothing before the first request. With TLS and with HTTP/2 it does,
    ///     and a proxy may.
    ///   - hasDecryptedBytes: whether TLS has bytes that libcurl has not read.
    func willSend(
        over addresses: Connection.Addresses, isNew: Bool, openedSocket: Int32? = nil, expectsSilence: Bool,
        hasDecryptedBytes: @autoclosure () -> Bool = false
    ) -> (connection: Connection?, check: Connection.Check) {
        guard let connection = connection(addresses, openedSocket: openedSocket) else { return (nil, .send) }
        var check = Connection.Check.send
        switch connection.health.willSend(
            isHttp1: connection.isHttp1 ?? false, lastResponseIsWhole: connection.lastResponseIsWhole,
            isExpired: connection.isPastKeepAlive())
        {
        case .send: if isNew, expectsSilence { check = Self.silence(of: connection.socket) }
        case .check:
            // Between two requests, an HTTP/1 server sends nothing. libcurl would take it for the next response.
            if hasDecryptedBytes() || Self.silence(of: connection.socket) != .send { check = .reconnect }
        case .avoid(let shutsDown):
            if shutsDown { Self.shutDown(connection.socket) }
            return (nil, .reconnect)
        }
        connection.lastResponseIsWhole = false
        if check != .send {
            Self.shutDown(connection.socket)
            connection.health = .closing
        }
        if connection.streams > 1 { multiplexed.insert(connection.socket) }
        return (connection, check)
    }

    /// Checks a connection before a request: `.send` if nothing can be read, `.unsolicitedData` for bytes, `.closed` for the
    /// end.
    private static func silence(of socket: Int32) -> Connection.Check {
        var status = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if poll(&status, 1, 0) <= 0 { return .send }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0 ? .unsolicitedData : .closed
    }

    /// Shuts down a connection and discards its received bytes, so that libcurl detects the close.
    private static func shutDown(_ socket: Int32) {
        shutdown(socket, Int32(SHUT_RDWR))
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            while recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
        }
    }

    /// The connection that libcurl has chosen; nil when it isn't known.
    private func connection(_ addresses: Connection.Addresses, openedSocket: Int32?) -> Connection? {
        if let connection = identified[addresses] { return connection }
        let isIt = { Self.localPort(of: $0) == addresses.localPort }
        // With thousands of new connections, a getsockname(2) for each of them would take long.
        let likely = openedSocket.flatMap { unidentified.contains($0) && isIt($0) ? $0 : nil }
        return (likely ?? unidentified.first(where: isIt)).flatMap { identify($0, as: addresses) }
    }

    private func identify(_ socket: Int32, as addresses: Connection.Addresses) -> Connection? {
        guard let connection = connections[socket] else { return nil }
        unidentified.remove(socket)
        identified[addresses] = connection
        connection.addresses = addresses
        return connection
    }

    private static func localPort(of socket: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { storage in
            let result = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(socket, $0, &length)
            }
            // The port is at the same offset in the addresses of both families.
            return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                result == 0 ? Int32(UInt16(bigEndian: $0.pointee.sin_port)) : nil
            }
        }
    }
}
#endif
