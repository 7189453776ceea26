#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A small HTTP/1.1 server on 127.0.0.1 for tests: programmable answers, faults, and a record of all requests.
///
///     let server = try LoopbackServer()
///     server.on(.get, "/users/:id") { request in .json(#"{"id": \#(request.parameters["id"] ?? "0")}"#) }
///     server.hold("/slow")
///     // … the code under test sends a request to server.url("/slow") …
///     let exchange = try await server.nextRequest("/slow")
///     exchange.respond(.text("now"))
///
/// Every operation can be used from any thread at any time. Handlers run concurrently on background threads and may
/// block. Any number of servers can live at once, each with a port and a thread of its own; a server stops when it
/// is dropped or told to.
public final class LoopbackServer: Sendable {
    /// The port, chosen by the system.
    public let port: Int
    /// `http://127.0.0.1:` and the port, without a slash at the end.
    public let url: URL
    let core: ServerCore
    private let thread: LoopThread

    /// Starts a server on a free port.
    /// - Parameter recordLimit: how many requests are kept for ``requests``, the first ones; all are counted.
    /// - Throws: ``LoopbackError`` with `cannotStart` where the system refuses a socket or a thread.
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

    /// The server's URL with this path, and query if it has one, behind it.
    public func url(_ path: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(path)") ?? url.appending(path: path)
    }

    /// Closes the port and all connections and ends the thread before it returns. Waits fail with
    /// ``LoopbackError/Code/stopped``, unless what they wait for comes true by it. Stopping again does nothing.
    public func stop() {
        if core.stop() { thread.join() }
    }
}
