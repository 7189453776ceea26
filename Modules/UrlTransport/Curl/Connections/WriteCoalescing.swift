#if os(Linux)
import Glibc

/// Has requests that share an HTTP/2 connection leave in few packets.
///
/// libcurl writes each request by itself, and a packet for each takes longer than all else. Requests of one iteration of
/// the event loop that are sent beside others are held back in the kernel (`TCP_CORK`, tcp(7)), some at a time. It can go
/// when libcurl writes the requests of a connection together.
struct WriteCoalescing {
    /// How many requests may be held back: more would leave the server without work meanwhile.
    private static let mostHeld = 8

    /// Requests that were started in this iteration.
    private var started = 0
    /// Sockets with held requests, and how many since the last packet; 0 while nothing is held.
    private var held: [Int32: Int] = [:]

    mutating func didStartRequest() {
        started += 1
    }

    /// A request is about to be written to a connection with other requests. The first one of an iteration is not held.
    mutating func willWrite(to socket: Int32) {
        guard started > 1 else { return }
        switch held[socket] {
        case nil: held[socket] = 0
        case 0?:
            Self.set(TCP_CORK, true, of: socket)
            held[socket] = 1
        case Self.mostHeld?:
            // Sends what is held, and the cork stays (tcp(7)).
            Self.set(TCP_NODELAY, true, of: socket)
            held[socket] = 1
        case let count?: held[socket] = count + 1
        }
    }

    /// Sends what is held back.
    mutating func flush() {
        started = 0
        guard !held.isEmpty else { return }
        for (socket, count) in held where count > 0 { Self.set(TCP_CORK, false, of: socket) }
        held.removeAll(keepingCapacity: true)
    }

    /// The socket is about to be closed.
    mutating func forget(_ socket: Int32) {
        held[socket] = nil
    }

    private static func set(_ option: Int32, _ isOn: Bool, of socket: Int32) {
        var value: Int32 = isOn ? 1 : 0
        setsockopt(socket, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
#endif
