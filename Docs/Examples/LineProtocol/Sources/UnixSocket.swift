#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

struct SocketError: Error, CustomStringConvertible {
    let operation: String
    let code: Int32

    var description: String { "\(operation): \(String(cString: strerror(code)))" }
}

/// A stream socket of the system with a path for its address, that reads and writes lines. The descriptor is closed
/// with the last reference, so that `end` can't meet another file of the same number.
final class UnixSocket: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    static func connected(to path: String) throws -> UnixSocket {
        let socket = try opened()
        try withAddress(path) { address, length in
            try socket.check("connect") { connect(socket.descriptor, address, length) }
        }
        return socket
    }

    static func listening(at path: String) throws -> UnixSocket {
        let socket = try opened()
        unlink(path)
        try withAddress(path) { address, length in
            try socket.check("bind") { bind(socket.descriptor, address, length) }
        }
        try socket.check("listen") { listen(socket.descriptor, 16) }
        return socket
    }

    func accepted() throws -> UnixSocket {
        UnixSocket(try check("accept") { accept(descriptor, nil, nil) })
    }

    /// Ends both directions: a thread that is blocked in `line()` wakes up.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    func write(line: String) throws {
        var rest = Array(line.utf8) + [UInt8(ascii: "\n")]
        while !rest.isEmpty {
            #if canImport(Darwin)
            let flags: Int32 = 0
            #else
            let flags = Int32(MSG_NOSIGNAL)
            #endif
            rest.removeFirst(try check("send") { send(descriptor, rest, rest.count, flags) })
        }
    }

    /// The next line without its end; nil when the other side has ended.
    func line() throws -> String? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            guard try check("recv", { recv(descriptor, &byte, 1, 0) }) > 0 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }

    private static func opened() throws -> UnixSocket {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw SocketError(operation: "socket", code: errno) }
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return UnixSocket(descriptor)
    }

    /// What a call gives, again after a signal.
    @discardableResult
    private func check<Count: BinaryInteger>(_ operation: String, _ call: () -> Count) throws -> Count {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw SocketError(operation: operation, code: errno) }
        }
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8) + [0]
        guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else {
            throw SocketError(operation: "address", code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        try withUnsafePointer(to: address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
