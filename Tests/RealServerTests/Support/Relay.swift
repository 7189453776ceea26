import Glibc
import Synchronization
import Testing

/// Forwards TCP connections to a port of 127.0.0.1. It can drop what the open ones carry, as a network that loses their
/// packets does.
final class Relay: Sendable {
    let port: Int
    private let listener: Int32
    private let target: Int
    /// Connections with a lower number are silent.
    private let silentBelow = Atomic(0)
    private let accepted = Atomic(0)
    private let dropped = Atomic(0)

    /// How many connections were accepted.
    var count: Int { accepted.load(ordering: .acquiring) }

    /// How many bytes were dropped.
    var droppedBytes: Int { dropped.load(ordering: .acquiring) }

    init(to target: Int) throws {
        self.target = target
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(of: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) + listen(listener, 16) + getsockname(listener, $0, &length)
            }
        }
        try #require(result == 0)
        port = Int(in_port_t(bigEndian: address.sin_port))
        Self.onThread { [self] in accept() }
    }

    /// Ends the relay. Its connections end with their peers.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Drops what the open connections carry from now on. Later connections work.
    func silenceConnections() {
        silentBelow.store(count, ordering: .releasing)
    }

    private static func address(of port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    private static func onThread(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { break }
            let number = accepted.add(1, ordering: .acquiringAndReleasing).oldValue
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = Self.address(of: target)
            _ = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            let ends = Ends(client, server)
            Self.onThread { [self] in pass(from: client, to: server, number, ends) }
            Self.onThread { [self] in pass(from: server, to: client, number, ends) }
        }
        close(listener)
    }

    /// Closes both sockets with its last reference.
    private final class Ends: Sendable {
        private let sockets: (Int32, Int32)

        init(_ client: Int32, _ server: Int32) {
            sockets = (client, server)
        }

        deinit {
            close(sockets.0)
            close(sockets.1)
        }
    }

    private func pass(from source: Int32, to target: Int32, _ number: Int, _ ends: Ends) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            if number < silentBelow.load(ordering: .acquiring) {
                dropped.add(count, ordering: .releasing)
                continue
            }
            if send(target, buffer, count, Int32(MSG_NOSIGNAL)) != count { break }
        }
        shutdown(target, Int32(SHUT_RDWR))
        shutdown(source, Int32(SHUT_RDWR))
        withExtendedLifetime(ends) {}
    }
}
