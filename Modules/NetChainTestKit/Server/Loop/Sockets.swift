#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The socket calls that the server needs, with their differences between systems.
enum Sockets {
    static func listen(_ descriptor: Int32) throws(LoopbackError) {
        guard Self.systemListen(descriptor, 4096) == 0 else { throw failure("listen") }
    }

    /// Lets the address be bound again while connections to it wait for their end (TIME_WAIT). Both sockets need it. For a
    /// free port it follows the bind, because two sockets that have it can get the same one.
    static func allowReuse(_ descriptor: Int32) {
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    /// A socket that is bound to a port of 127.0.0.1 and doesn't listen, and that port.
    ///
    /// - Parameter port: 0 for a free one.
    static func bound(to port: UInt16 = 0) throws(LoopbackError) -> (descriptor: Int32, port: Int) {
        let descriptor = try stream(AF_INET)
        if port != 0 { allowReuse(descriptor) }
        var address = sockaddr_in()
        address.sin_port = port.bigEndian
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

    /// A Unix domain socket that is bound to a path and doesn't listen.
    static func bound(to path: String) throws(LoopbackError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The path ends with a NUL.
        let longest = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard path.utf8.count <= longest, !path.utf8.contains(0) else {
            throw LoopbackError(
                .cannotStart,
                "the test server cannot start: a Unix domain socket's path has at most \(longest) bytes and no NUL: "
                    + path.debugDescription)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = try stream(AF_UNIX)
        guard withSocketAddress(&address, { bind(descriptor, $0, $1) }) == 0 else {
            let error = failure("bind to \(path)")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func stream(_ family: Int32) throws(LoopbackError) -> Int32 {
        #if canImport(Glibc)
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw failure("socket") }
        prepare(descriptor)
        return descriptor
    }

    enum Accepted {
        /// The client's port is 0 on a Unix domain socket.
        case connection(descriptor: Int32, remotePort: Int)
        /// No connection is pending.
        case none
        /// The system has no descriptor or memory for a connection.
        case exhausted
    }

    static func accept(_ listener: Int32) -> Accepted {
        while true {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = withSocketAddress(&address) { pointer, _ in
                Self.systemAccept(listener, pointer, &length)
            }
            if descriptor >= 0 {
                prepare(descriptor)
                guard address.sin_family == sa_family_t(AF_INET) else {
                    return .connection(descriptor: descriptor, remotePort: 0)
                }
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

    private static func withSocketAddress<Address, Value>(
        _ address: inout Address, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
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

/// A socket that listens.
struct Listener: Sendable {
    enum Address {
        /// A port of 127.0.0.1; 0 for a free one.
        case port(UInt16)
        case unixSocket(String)
    }

    let descriptor: Int32
    /// The port; 0 for a Unix domain socket.
    let port: Int
    let path: String?

    init(at address: Address) throws(LoopbackError) {
        switch address {
        case .port(let number):
            (descriptor, port) = try Sockets.bound(to: number)
            Sockets.allowReuse(descriptor)
            path = nil
        case .unixSocket(let path):
            descriptor = try Sockets.bound(to: path)
            port = 0
            self.path = path
        }
        do throws(LoopbackError) {
            try Sockets.listen(descriptor)
        } catch {
            close()
            throw error
        }
    }

    /// Removes the file of a Unix domain socket, and closes the socket.
    func close() {
        if let path { unlink(path) }
        systemClose(descriptor)
    }
}

/// A pipe that wakes the loop's thread from `poll(2)`.
struct WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws(LoopbackError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Sockets.failure("pipe") }
        readEnd = ends[0]
        writeEnd = ends[1]
        Sockets.prepare(readEnd)
        Sockets.prepare(writeEnd)
    }

    func wake() {
        var byte: UInt8 = 1
        // A full pipe wakes as well, so the result does not matter.
        _ = write(writeEnd, &byte, 1)
    }

    func drain() {
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(readEnd, &bytes, 16) == 16 {}
    }

    func close() {
        systemClose(readEnd)
        systemClose(writeEnd)
    }
}

/// `close(2)`, for types that declare another `close`.
func systemClose(_ descriptor: Int32) {
    close(descriptor)
}
