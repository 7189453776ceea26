#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The socket calls that the server needs, with their differences between systems.
enum Sockets {
    /// A listening socket on a free port of 127.0.0.1, and that port.
    static func listen() throws(LoopbackError) -> (descriptor: Int32, port: Int) {
        let (descriptor, port) = try bound()
        guard Self.systemListen(descriptor, 4096) == 0 else {
            let error = failure("listen")
            close(descriptor)
            throw error
        }
        return (descriptor, port)
    }

    /// A socket that is bound to a free port of 127.0.0.1 and doesn't listen, and that port.
    static func bound() throws(LoopbackError) -> (descriptor: Int32, port: Int) {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw failure("socket") }
        prepare(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        guard withSocketAddress(&address, { bind(descriptor, $0, $1) }) == 0 else {
            let error = failure("bind")
            close(descriptor)
            throw error
        }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withSocketAddress(&address) { pointer, _ in getsockname(descriptor, pointer, &length) }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The result of `accept(2)`.
    enum Accepted {
        case connection(descriptor: Int32, remotePort: Int)
        /// No connection is pending.
        case none
        /// The system has no descriptor or memory for a connection.
        case exhausted
    }

    /// Accepts the next pending connection.
    static func accept(_ listener: Int32) -> Accepted {
        while true {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = withSocketAddress(&address) { pointer, _ in
                Self.systemAccept(listener, pointer, &length)
            }
            if descriptor >= 0 {
                prepare(descriptor)
                var on: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                return .connection(descriptor: descriptor, remotePort: Int(UInt16(bigEndian: address.sin_port)))
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .none
            }
        }
    }

    /// The result of reading or writing.
    enum Transfer {
        case bytes(Int)
        case wouldBlock
        case ended
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .ended
        }
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        while true {
            let count = systemSend(descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .ended
        }
    }

    /// Sends FIN. Receiving remains possible.
    static func finishSending(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes `close(2)` send RST instead of FIN.
    static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Makes the descriptor non-blocking and close-on-exec, and on Darwin disables SIGPIPE.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// An error that names the call and the system's reason.
    static func failure(_ call: String) -> LoopbackError {
        let reason = String(cString: strerror(errno))
        return LoopbackError(.cannotStart, "the test server cannot start: \(call): \(reason)")
    }

    private static func withSocketAddress<Value>(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    // The C functions, whose names this type's own functions hide.
    #if canImport(Glibc)
    private static let systemListen = Glibc.listen
    private static let systemAccept = Glibc.accept
    private static let systemSend = Glibc.send
    #elseif canImport(Musl)
    private static let systemListen = Musl.listen
    private static let systemAccept = Musl.accept
    private static let systemSend = Musl.send
    #else
    private static let systemListen = Darwin.listen
    private static let systemAccept = Darwin.accept
    private static let systemSend = Darwin.send
    #endif
}
