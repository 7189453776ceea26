#if os(Linux)
import CNetChainCurl
import Glibc

/// The sockets of one loop's connections, so that a connection can be looked at right before a request goes over it.
///
/// Between two requests an HTTP/1 server has nothing to say. What it says all the same (a 408, or worse) libcurl takes
/// for the next request's answer, and a connection that was reset it takes for a live one (as of 7.88). Only the loop's
/// thread uses this.
final class CurlSockets {
    /// What libcurl tells of the connection that a request is about to use.
    struct Connection: Hashable {
        let remoteAddress: String
        let remotePort: Int32
        let localPort: Int32
    }

    /// Sockets that no request has used yet.
    private var unused: Set<Int32> = []
    private var descriptors: [Connection: Int32] = [:]
    private var connections: [Int32: Connection] = [:]
    /// Those over which HTTP/1 is known to be spoken; over the others a server may speak at any time.
    private var speakingHttp1: Set<Int32> = []

    private let poller: CurlPoller

    init(poller: CurlPoller) {
        self.poller = poller
    }

    /// Opens a socket as libcurl asks for it.
    func open(_ address: curl_sockaddr) -> Int32 {
        // A child process must not keep the connection open.
        let descriptor = socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        if descriptor >= 0 {
            unused.insert(descriptor)
            poller.add(descriptor)
        }
        return descriptor
    }

    /// Hears of the end of the sockets that `easy` opens. A connection may outlive the transfer that opened it.
    func watch(_ easy: CurlEasyHandle) {
        netchain_set_close_function(
            easy.raw,
            { context, descriptor in
                CurlSockets.of(context)?.forget(descriptor)
                return close(descriptor)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlSockets? {
        context.map { Unmanaged<CurlSockets>.fromOpaque($0).takeUnretainedValue() }
    }

    private func forget(_ descriptor: Int32) {
        poller.forget(descriptor)
        unused.remove(descriptor)
        speakingHttp1.remove(descriptor)
        if let connection = connections.removeValue(forKey: descriptor) { descriptors[connection] = nil }
    }

    /// The socket of a connection; nil when it isn't known.
    ///
    /// - Parameter likely: the socket that it probably is, because the one who asks opened it: with thousands of new
    ///   connections, asking each of their sockets would take long.
    func descriptor(of connection: Connection, likely: Int32?) -> Int32? {
        if let descriptor = descriptors[connection] { return descriptor }
        let isIt = { Self.localPort(of: $0) == connection.localPort }
        let found = likely.flatMap { unused.contains($0) && isIt($0) ? $0 : nil } ?? unused.first(where: isIt)
        guard let descriptor = found else { return nil }
        unused.remove(descriptor)
        descriptors[connection] = descriptor
        connections[descriptor] = connection
        return descriptor
    }

    /// Notes that an answer of HTTP/1 came whole over a socket.
    func noteHttp1(on descriptor: Int32) {
        speakingHttp1.insert(descriptor)
    }

    /// Whether the server has said something, or gone, since the last answer. Such a connection is ended here, and
    /// emptied, so that libcurl finds it dead.
    func discardIfSpoiled(_ descriptor: Int32) -> Bool {
        guard speakingHttp1.contains(descriptor) else { return false }
        var byte: UInt8 = 0
        var count = 0
        repeat {
            count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        } while count < 0 && errno == EINTR
        if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return false }
        shutdown(descriptor, Int32(SHUT_RDWR))
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            while recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
        }
        return true
    }

    private static func localPort(of descriptor: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { storage in
            let result = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length)
            }
            // The port stands at the same place in the addresses of both families.
            return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                result == 0 ? Int32(UInt16(bigEndian: $0.pointee.sin_port)) : nil
            }
        }
    }
}
#endif
