#if os(Linux)
import CNetChainCurl
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends with libcurl: one thread and one pool of connections, or several (``CurlConfiguration/threads``).
///
/// Connections, TLS sessions and, where they are kept, cookies belong to the sender; make one and use it for all
/// requests that may share them. When the last reference is released, requests in progress still complete. Listeners
/// outside of a chain's run are called on the sender's thread, which must not be blocked.
///
/// Don't use a sender in a forked process: it has no thread there, so its requests never complete. POSIX allows a child of
/// a process with threads to call few functions before `exec` (fork(2)).
public final class CurlRequestSender: RequestSender {
    /// How a sender works.
    public typealias Configuration = CurlConfiguration

    /// How the sender works.
    public let configuration: Configuration
    private let loops: [EventLoop]
    private let settings: CurlSettings

    /// Creates a sender and starts its thread, or threads.
    ///
    /// - Throws: ``SenderConfigurationError`` for settings that can't work or are unsafe by mistake.
    public init(configuration: Configuration = Configuration()) throws {
        try configuration.validate()
        if configuration.httpVersion == .http2PriorKnowledge, netchain_supports_http2() == 0 {
            throw SenderConfigurationError(setting: "httpVersion", reason: "this libcurl was built without HTTP/2")
        }
        if !configuration.tls.allowsKeyLog, curlHasKeyLog {
            throw SenderConfigurationError(
                setting: "tls.allowsKeyLog",
                reason: "SSLKEYLOGFILE is set, or was for the first sender: libcurl logs all keys")
        }
        self.configuration = configuration
        settings = CurlSettings(configuration)
        var loops: [EventLoop] = []
        do {
            for _ in 0..<configuration.threads { loops.append(try EventLoop(configuration: configuration)) }
        } catch {
            for loop in loops { loop.finish() }
            throw error
        }
        self.loops = loops
    }

    deinit {
        for loop in loops { loop.finish() }
    }

    /// Sends the request; see ``RequestSender/send(_:)``. A request that can't be sent as it is fails with
    /// ``TransportError/Code/invalidRequest`` or ``TransportError/Code/invalidUrl``, and nothing is sent.
    ///
    /// A connection that was used before may break before a response. Then a request whose method is idempotent, or
    /// that has an `Idempotency-Key`, is sent once more over a new connection, as long as
    /// ``CurlConfiguration/resending`` allows it; any other fails with ``TransportError/Code/connectionLost``, because it
    /// is not known whether the server received it (RFC 9110 §9.2.2).
    public func send(_ request: HttpRequest) -> Observer<HttpResponse> {
        let origin: Origin
        do throws(TransportError) {
            origin = try request.validate()
            try Self.checkDestination(of: request)
        } catch {
            return .emit(error: error)
        }
        let transfer = CurlTransfer(request, origin: origin, settings: settings)
        let context = transfer.context
        let loop = loop(of: transfer.origin)
        transfer.belong(to: loop)
        guard loop.start(transfer) else {
            transfer.fail(.senderClosed, "the sender was closed")
            return context.observer
        }
        // The transfer holds the context: they release each other at the end, which every transfer has.
        context.tellCancel(to: transfer)
        return context.observer
    }

    /// Connections of one origin stay together.
    private func loop(of origin: Origin) -> EventLoop {
        loops.count == 1 ? loops[0] : loops[Int(UInt(bitPattern: origin.hashValue) % UInt(loops.count))]
    }

    /// Fails for a range that the file of the destination decides about.
    private static func checkDestination(of request: HttpRequest) throws(TransportError) {
        guard case .file(_, true) = request.options.destination else { return }
        guard request.headers["Range"] == nil, request.headers["If-Range"] == nil else {
            throw TransportError(
                .invalidRequest, of: request, reason: "a download that is resumed can't have a Range of its own")
        }
    }

    /// Closes the sender when its requests have completed: for a service that is asked to stop.
    ///
    /// Later requests fail with ``TransportError/Code/senderClosed``. Those that are in progress when the time has passed,
    /// or when the task is canceled, fail with it too. Returns when the sender's threads have ended, at the latest a second
    /// after the time: a slow disk may delay the end of a download.
    ///
    /// - Parameter time: how long requests in progress may take.
    public func shutdown(drain time: Duration) async {
        for loop in loops { loop.finish() }
        let end = ContinuousClock.now + time
        while loops.contains(where: { !$0.hasEnded }), ContinuousClock.now < end {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
        }
        close()
        let limit = ContinuousClock.now + .seconds(1)
        while loops.contains(where: { !$0.hasEnded }), ContinuousClock.now < limit {
            // A task that is canceled doesn't sleep.
            if (try? await Task.sleep(for: .milliseconds(1))) == nil { await Task.yield() }
        }
    }

    /// Closes the sender at once: requests in progress and later ones fail with ``TransportError/Code/senderClosed``.
    ///
    /// A download fails when its file has been released, which a slow disk may delay. One whose body was received, so that
    /// only the file is still to be written, completes. Listeners of both are called on the file's queue.
    public func close() {
        for loop in loops { loop.close() }
    }
}
#endif
