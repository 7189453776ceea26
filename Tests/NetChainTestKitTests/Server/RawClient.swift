import Dispatch
import NetChainTestKit
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A client over TCP or a Unix domain socket that shows what is on the wire. Reading blocks a thread of its own queue, not the caller's.
final class RawClient: Sendable {
    enum Ending: Equatable {
        case closed
        case reset
    }

    struct Failure: Error {
        let message: String
    }

    /// An answer with its head as it was sent.
    struct Answer {
        let head: String
        let body: String

        var statusLine: String { String(head.prefix { $0 != "\r\n" }) }
    }

    let descriptor: Int32
    private let isClosed = Mutex(false)
    private let leftover = Mutex<[UInt8]>([])
    private let queue = DispatchQueue(label: "RawClient")

    convenience init(port: Int) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        try self.init(address, AF_INET)
    }

    convenience init(unixSocket path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try self.init(address, AF_UNIX)
    }

    /// Connects to where the server listens.
    convenience init(_ server: LoopbackServer) throws {
        if let path = server.unixSocket {
            try self.init(unixSocket: path)
        } else {
            try self.init(port: server.port)
        }
    }

    private init<Address>(_ address: Address, _ family: Int32) throws {
        var address = address
        #if canImport(Darwin)
        descriptor = socket(family, SOCK_STREAM, 0)
        #else
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard result == 0 else {
            let reason = errno
            systemCloseDescriptor(descriptor)
            isClosed.withLock { $0 = true }
            throw Failure(message: "connect: \(reason)")
        }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close()
    }

    func close() {
        let wasOpen = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if wasOpen { systemCloseDescriptor(descriptor) }
    }

    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// The port at this end.
    var localPort: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    /// Sends as much as the server takes; false when it takes no more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                systemSendBytes(descriptor, UnsafeRawBufferPointer(rebasing: buffer[done...]), flags)
            }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Sends in the background, for more than the socket buffers hold.
    func sendInBackground(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "RawClient.send").async { continuation.resume(returning: self.send(bytes)) }
        }
    }

    /// The bytes up to and including `mark`.
    func read(through mark: String) async throws -> String {
        let mark = Array(mark.utf8)
        return try await onQueue {
            var bytes = self.takeLeftover()
            var searched = 0
            while true {
                if let end = Self.find(mark, in: bytes, from: max(0, searched - mark.count)) {
                    self.leftover.withLock { $0 = Array(bytes[end...]) }
                    return String(decoding: bytes[..<end], as: UTF8.self)
                }
                searched = bytes.count
                guard try self.receive(into: &bytes) == nil else {
                    throw Failure(message: "ended after: \(String(decoding: bytes, as: UTF8.self))")
                }
            }
        }
    }

    func read(count: Int) async throws -> [UInt8] {
        try await onQueue {
            var bytes = self.takeLeftover()
            while bytes.count < count {
                guard try self.receive(into: &bytes) == nil else {
                    throw Failure(message: "ended after \(bytes.count) of \(count) bytes")
                }
            }
            self.leftover.withLock { $0 = Array(bytes[count...]) }
            return Array(bytes[..<count])
        }
    }

    /// An answer whose body has a Content-Length, or none.
    func readAnswer(isHead: Bool = false) async throws -> Answer {
        let head = try await read(through: "\r\n\r\n")
        let lines = head.split(separator: "\r\n")
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }.flatMap { Int($0.dropFirst(16)) }
        let body = try await read(count: isHead ? 0 : length ?? 0)
        return Answer(head: head, body: String(decoding: body, as: UTF8.self))
    }

    /// Everything until the server ends the connection, and how it did.
    func readToEnd() async throws -> (text: String, ending: Ending) {
        try await onQueue {
            var bytes = self.takeLeftover()
            while true {
                if let ending = try self.receive(into: &bytes) {
                    return (String(decoding: bytes, as: UTF8.self), ending)
                }
            }
        }
    }

    private func takeLeftover() -> [UInt8] {
        leftover.withLock { leftover in
            defer { leftover = [] }
            return leftover
        }
    }

    private func receive(into bytes: inout [UInt8]) throws -> Ending? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                bytes += buffer[..<count]
                return nil
            }
            if count == 0 { return .closed }
            if errno == EINTR { continue }
            if errno == ECONNRESET { return .reset }
            throw Failure(message: "recv: \(errno) after \(bytes.count) bytes")
        }
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    private static func find(_ mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= mark.count else { return nil }
        for position in start...(bytes.count - mark.count) where bytes[position] == mark[0] {
            if bytes[position..<(position + mark.count)].elementsEqual(mark) { return position + mark.count }
        }
        return nil
    }
}

private func systemCloseDescriptor(_ descriptor: Int32) {
    close(descriptor)
}

private func systemSendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, flags)
}
