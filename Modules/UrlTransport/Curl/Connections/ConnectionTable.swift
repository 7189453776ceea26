#if os(Linux)
import CNetChainCurl
import Glibc

/// The connections of one event loop, as libcurl's callbacks report them. libcurl chooses the connection of a request;
/// the table decides whether the request may be sent over it. Used by the event loop's thread alone.
final class ConnectionTable {
    /// A request that is about to be sent.
    struct Use {
        let addresses: Connection.Addresses
        let origin: Origin
        /// Whether the connection was opened for this request.
        let isNew: Bool
        /// The socket that was opened last for this request.
        let openedSocket: Int32?
        /// Whether the server has nothing to say before the first request. With TLS and with HTTP/2 it has, and a proxy
        /// may.
        let expectsSilence: Bool
    }

    /// Whether a request may be sent.
    enum Verdict: Equatable {
        case send
        /// The connection is unusable: the request needs another one, maybe a new one.
        case reconnect(needsNew: Bool)
        /// The server of a new connection sent something before the first request.
        case unsolicitedData
    }

    private var connections: [Int32: Connection] = [:]
    private var sockets: [Connection.Addresses: Int32] = [:]
    /// Sockets whose addresses libcurl has not reported.
    private var unidentified: Set<Int32> = []
    /// Sockets that several requests may share.
    private(set) var multiplexed: Set<Int32> = []
    private var writes = WriteCoalescing()
    private var opened = 0
    /// Called before a socket is closed.
    var onClose: ((Int32) -> Void)?

    /// How many sockets are open.
    var count: Int { connections.count }

    /// Whether the socket is one of a connection. libcurl has others, which it opens and closes by itself.
    func contains(_ socket: Int32) -> Bool { connections[socket] != nil }

    subscript(id: Connection.Id) -> Connection? {
        connections[id.socket].flatMap { $0.id == id ? $0 : nil }
    }

    // MARK: Sockets

    /// Opens a socket as libcurl requests it; -1 when the system has none.
    func open(_ address: curl_sockaddr) -> Int32 {
        // A child process must not keep the connection open.
        let socket = Glibc.socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        if socket >= 0 {
            opened += 1
            connections[socket] = Connection(id: Connection.Id(socket: socket, number: opened))
            unidentified.insert(socket)
        }
        return socket
    }

    /// Has libcurl report the close of the sockets that `easy` opens. A connection may outlive its transfer, and not the
    /// table.
    func observeCloses(of easy: UnsafeMutableRawPointer) {
        netchain_set_close_function(
            easy,
            { context, socket in
                context.map { Unmanaged<ConnectionTable>.fromOpaque($0).takeUnretainedValue().willClose(socket) }
                return close(socket)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func willClose(_ socket: Int32) {
        onClose?(socket)
        writes.forget(socket)
        unidentified.remove(socket)
        multiplexed.remove(socket)
        if let addresses = connections.removeValue(forKey: socket)?.addresses { sockets[addresses] = nil }
    }

    // MARK: Requests

    /// libcurl has chosen a connection for a request. Returns whether the request may be sent over it, and the connection,
    /// if it is known.
    func willSend(_ use: Use) -> (connection: Connection.Id?, verdict: Verdict) {
        guard let socket = socket(of: use), var connection = connections[socket] else { return (nil, .send) }
        if connection.origin == nil { connection.origin = use.origin }
        var verdict = Verdict.send
        switch connection.health.willSend(isHttp1: connection.isHttp1 ?? false) {
        case .send:
            if use.isNew, use.expectsSilence, !IdleConnectionCheck.passes(socket) { verdict = .unsolicitedData }
        case .sendBesideOthers:
            multiplexed.insert(socket)
            writes.willWrite(to: socket)
        case .check:
            if !IdleConnectionCheck.passes(socket) { verdict = .reconnect(needsNew: false) }
        case .avoid(let shutsDown):
            if shutsDown { IdleConnectionCheck.shutDown(socket) }
            connections[socket] = connection
            return (nil, .reconnect(needsNew: true))
        }
        if verdict != .send { connection.health.checkFailed() }
        connections[socket] = connection
        return (connection.id, verdict)
    }

    /// The socket of the connection that libcurl has chosen; nil when it isn't known.
    private func socket(of use: Use) -> Int32? {
        if let socket = sockets[use.addresses] { return socket }
        let isIt = { Self.localPort(of: $0) == use.addresses.localPort }
        // With thousands of new connections, asking the system for each of their ports would take long.
        let likely = use.openedSocket.flatMap { unidentified.contains($0) && isIt($0) ? $0 : nil }
        guard let socket = likely ?? unidentified.first(where: isIt) else { return nil }
        unidentified.remove(socket)
        sockets[use.addresses] = socket
        connections[socket]?.addresses = use.addresses
        return socket
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

    /// A status line was received.
    func didReceiveStatusLine(on id: Connection.Id, isHttp1: Bool) {
        guard var connection = self[id] else { return }
        if connection.isHttp1 != true { connection.isHttp1 = isHttp1 }
        if connection.isHttp1 == true { multiplexed.remove(id.socket) } else { multiplexed.insert(id.socket) }
        connections[id.socket] = connection
        didReceive(on: id)
    }

    /// Bytes of a response were received.
    func didReceive(on id: Connection.Id) {
        guard self[id] != nil else { return }
        connections[id.socket]?.lastReceived = .now
        connections[id.socket]?.health.didReceive()
    }

    /// A request that was sent has ended.
    ///
    /// - Parameter timedOut: when the request was sent that has timed out; nil for any other end.
    func didEnd(on id: Connection.Id, timedOut sent: Moment?) {
        guard let connection = self[id] else { return }
        let isSilent = sent.map { sent in connection.lastReceived.map { $0 < sent } ?? true } ?? false
        connections[id.socket]?.health.didEnd(isSilent: isSilent)
    }

    // MARK: Coalescing

    /// A request was started that libcurl may send in this iteration of the event loop.
    func didStartRequest() {
        writes.didStartRequest()
    }

    /// libcurl has sent what it had to send.
    func flushWrites() {
        writes.flush()
    }
}
#endif
