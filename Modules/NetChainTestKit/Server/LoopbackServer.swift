import Dispatch
import Models
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A small HTTP/1.1 server for tests, on 127.0.0.1 or on a Unix domain socket: programmable responses, faults, and a
/// record of all requests.
///
///     let server = try LoopbackServer()
///     server.on(.get, "/users/:id") { request in .json(#"{"id": \#(request.parameters["id"] ?? "0")}"#) }
///     server.hold("/slow")
///     // … the code under test sends a request to server.url("/slow") …
///     let exchange = try await server.nextRequest("/slow")
///     exchange.respond(.text("now"))
///
/// Every operation can be used from any thread at any time. Handlers run concurrently on background threads and may
/// block. Any number of servers can run at once, each with a dedicated port or socket and a thread. A server stops when it
/// is deallocated or ``stop()`` is called.
public final class LoopbackServer: Sendable {
    /// The port, chosen by the system; 0 on a Unix domain socket.
    public let port: Int
    /// The path of the Unix domain socket; nil on 127.0.0.1.
    package let unixSocket: String?
    /// `http://127.0.0.1:` and the port, without a slash at the end. On a Unix domain socket, `http://localhost`.
    public let url: URL
    let core: ServerCore
    private let thread: LoopThread
    /// What the thread waits for before it answers.
    private let hasRoutes = DispatchSemaphore(value: 0)

    /// Starts a server on a free port of 127.0.0.1, or on a Unix domain socket.
    ///
    /// The server creates the file of the socket and removes it at its stop. A Unix domain socket has no reset: a
    /// client sees a close in its place.
    ///
    /// - Parameters:
    ///   - path: where no file is, in a folder that exists. At most 107 bytes on Linux, 103 on Apple platforms. Nil for
    ///     a port.
    ///   - recordLimit: how many requests ``requests`` keeps, from the first on; all are counted.
    /// - Throws: ``LoopbackError`` with `cannotStart` if the path is too long or in use, or if the system doesn't
    ///   provide a socket, a port or a thread.
    public convenience init(unixSocket path: String? = nil, recordLimit: Int = .max) throws {
        try self.init(at: path.map { .unixSocket($0) } ?? .port(0), recordLimit)
    }

    /// Starts a server on a port of 127.0.0.1, such as that of a server that was stopped: a restart.
    ///
    /// - Parameters:
    ///   - port: a port that is free; 0 for any.
    ///   - recordLimit: how many requests ``requests`` keeps, from the first on; all are counted.
    ///   - addRoutes: adds the routes. It returns before the server answers, so that a client that waits for the restart
    ///     finds them.
    /// - Throws: ``LoopbackError`` with `cannotStart`, also for a port that is in use; the errors of the closure.
    public convenience init(
        port: Int, recordLimit: Int = .max, _ addRoutes: (LoopbackServer) throws -> Void = { _ in }
    ) throws {
        guard let number = UInt16(exactly: port) else {
            throw LoopbackError(.cannotStart, "the test server cannot start: \(port) is no port")
        }
        try self.init(at: .port(number), recordLimit, addRoutes)
    }

    private init(
        at address: Listener.Address, _ recordLimit: Int, _ addRoutes: (LoopbackServer) throws -> Void = { _ in }
    ) throws {
        let wakePipe = try WakePipe()
        let listener: Listener
        do {
            listener = try Listener(at: address)
        } catch {
            wakePipe.close()
            throw error
        }
        port = listener.port
        unixSocket = listener.path
        do {
            let text = listener.path == nil ? "http://127.0.0.1:\(listener.port)" : "http://localhost"
            guard let url = URL(parsing: text) else {
                throw LoopbackError(.cannotStart, "no URL can be made for port \(listener.port)")
            }
            self.url = url
            core = ServerCore(wakePipe: wakePipe, recordLimit: recordLimit)
            let loop = EventLoop(core: core, listener: listener, wakePipe: wakePipe)
            thread = try LoopThread { [hasRoutes] in
                hasRoutes.wait()
                loop.run()
            }
        } catch {
            wakePipe.close()
            listener.close()
            throw error
        }
        do {
            try addRoutes(self)
        } catch {
            stop()
            throw error
        }
        hasRoutes.signal()
    }

    deinit {
        stop()
    }

    /// The server's URL with this path, which may contain a query. What a URL can't contain is escaped.
    public func url(_ path: String) -> URL {
        let hasSeparator = path.isEmpty || path.hasPrefix("/") || path.hasPrefix("?") || path.hasPrefix("#")
        let target = (hasSeparator ? "" : "/") + UrlText.escaped(afterHost: path)
        return URL(escaped: url.absoluteString + target) ?? url
    }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "url")
    public var baseURL: URL { url }

    /// Closes the port or socket and all connections, and returns when the thread has ended. Waits fail with
    /// ``LoopbackError/Code/stopped``, unless the stop fulfills them. Further calls have no effect.
    public func stop() {
        guard core.stop() else { return }
        hasRoutes.signal()
        thread.join()
    }
}
