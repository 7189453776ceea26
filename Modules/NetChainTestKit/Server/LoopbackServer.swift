#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A small HTTP/1.1 server on 127.0.0.1 for tests: programmable responses, faults, and a record of all requests.
///
///     let server = try LoopbackServer()
///     server.on(.get, "/users/:id") { request in .json(#"{"id": \#(request.parameters["id"] ?? "0")}"#) }
///     server.hold("/slow")
///     // … the code under test sends a request to server.url("/slow") …
///     let exchange = try await server.nextRequest("/slow")
///     exchange.respond(.text("now"))
///
/// Every operation can be used from any thread at any time. Handlers run concurrently on background threads and may
/// block. Any number of servers can run at once, each with a dedicated port and thread. A server stops when it is
/// deallocated or ``stop()`` is called.
public final class LoopbackServer: Sendable {
    /// The port, chosen by the system.
    public let port: Int
    /// `http://127.0.0.1:` and the port, without a slash at the end.
    public let url: URL
    let core: ServerCore
    private let thread: LoopThread

    /// Starts a server on a free port.
    /// - Parameter recordLimit: how many requests ``requests`` keeps, from the first on; all are counted.
    /// - Throws: ``LoopbackError`` with `cannotStart` if the system doesn't provide a socket or a thread.
    public init(recordLimit: Int = .max) throws {
        let wakePipe = try WakePipe()
        let listener: Int32
        do {
            (listener, port) = try Sockets.listen()
        } catch {
            wakePipe.close()
            throw error
        }
        do {
            guard let url = URL(string: "http://127.0.0.1:\(port)") else {
                throw LoopbackError(.cannotStart, "no URL can be made for port \(port)")
            }
            self.url = url
            core = ServerCore(wakePipe: wakePipe, recordLimit: recordLimit)
            let loop = EventLoop(core: core, listener: listener, wakePipe: wakePipe)
            thread = try LoopThread { loop.run() }
        } catch {
            wakePipe.close()
            systemClose(listener)
            throw error
        }
    }

    deinit {
        stop()
    }

    /// The server's URL with this path, which may contain a query.
    public func url(_ path: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(path)") ?? url.appending(path: path)
    }

    /// Closes the port and all connections, and returns when the thread has ended. Waits fail with
    /// ``LoopbackError/Code/stopped``, unless the stop fulfills them. Further calls have no effect.
    public func stop() {
        if core.stop() { thread.join() }
    }
}
