#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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
