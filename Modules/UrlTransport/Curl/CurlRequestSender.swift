#if os(Linux)
import CNetChainCurl
public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sends with libcurl: one thread and one pool of connections, or several (``SenderConfiguration/loops``).
///
/// Connections, TLS sessions and, where they are kept, cookies belong to the sender; make one and use it for all
/// requests that may share them. When the last reference goes, requests in progress still come to their end. What is
/// listened to outside of a chain's run is delivered on the sender's thread, which must not be blocked.
///
/// A process that is forked off needs a sender of its own: through its parent's each request fails with
/// ``TransportError/Code/senderClosed``.
public final class CurlRequestSender: RequestSender {
    /// How the sender works.
    public let configuration: SenderConfiguration
    private let loops: [CurlEventLoop]
    private let settings: CurlSenderSettings

    /// Makes a sender and starts its thread, or threads.
    ///
    /// - Throws: ``SenderConfigurationError`` for settings that can't work or are unsafe by mistake.
    public init(configuration: SenderConfiguration = SenderConfiguration()) throws {
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
        settings = CurlSenderSettings(configuration)
        loops = try (0..<configuration.loops).map { _ in try CurlEventLoop(configuration: configuration) }
    }

    deinit {
        for loop in loops { loop.finish() }
    }

    /// The sender's thread for the origin of `url`, for tasks that send many requests and do little between them:
    ///
    /// ```swift
    /// try await withTaskExecutorPreference(sender.executor(for: url)) {
    ///     let user = try await chain.execute()
    /// }
    /// ```
    ///
    /// Such a task goes on right where the answer arrives, which spares the hop between threads, as long as its code belongs
    /// to no actor. What it does keeps the thread from its transfers, so it must neither block nor compute for long. It goes
    /// on elsewhere once the sender has ended.
    public func executor(for url: URL) -> any TaskExecutor {
        loop(for: Origin(url))
    }

    /// Connections of one origin stay together.
    private func loop(for origin: @autoclosure () -> Origin) -> CurlEventLoop {
        loops.count == 1 ? loops[0] : loops[Int(UInt(bitPattern: origin().hashValue) % UInt(loops.count))]
    }

    /// Sends the request; see ``RequestSender/send(_:)``. A request that can't be sent as it is fails with
    /// ``TransportError/Code/invalidRequest`` or ``TransportError/Code/invalidUrl``, and nothing is sent.
    ///
    /// A connection that was used before may die before an answer comes. Then a request whose method is idempotent, or
    /// that has an `Idempotency-Key`, is sent once more over a new connection, as long as
    /// ``SenderConfiguration/resending`` allows it; any other fails with ``TransportError/Code/connectionLost``, because
    /// nobody knows whether the server got it (RFC 9110 §9.2.2).
    public func send(_ request: HttpRequest) -> Observer<HttpResponse> {
        // Its text is gone through once: what is known of it is handed on.
        let (origin, isPlain) = settings.origin(of: request.url)
        do throws(TransportError) {
            try request.validate(isUrlPlain: isPlain)
            try Self.checkDestination(of: request)
        } catch {
            return .emit(error: error)
        }
        let transfer = CurlTransfer(request, origin: origin, sender: settings)
        let context = transfer.context
        let loop = loop(for: transfer.origin)
        transfer.loop = loop
        if let file = request.resumedFile { transfer.fileUse = transfer.use(of: file) }
        guard loop.start(transfer) else {
            let reason =
                if loop.isInherited {
                    "the sender belongs to the process that this one was forked from"
                } else if ProcessExit.isComing {
                    "the process ends"
                } else {
                    "the sender was closed"
                }
            transfer.fail(.senderClosed, reason)
            return context.observer
        }
        // The transfer holds the context: they let go of each other at the end, which every transfer has.
        context.tellCancel(to: transfer)
        return context.observer
    }

    /// Fails for a range that the file of the destination knows better.
    private static func checkDestination(of request: HttpRequest) throws(TransportError) {
        guard case .file(_, true) = request.options.destination else { return }
        guard request.headers["Range"] == nil, request.headers["If-Range"] == nil else {
            throw TransportError(
                .invalidRequest, of: request, reason: "a download that is resumed can't have a Range of its own")
        }
    }

    /// Ends the sender when its requests have completed: for a service that is asked to stop.
    ///
    /// Later requests fail with ``TransportError/Code/senderClosed``. Those that are in progress when the time has passed,
    /// or when the task is canceled, fail with it too. Returns when the sender has ended.
    ///
    /// - Parameter time: how long requests in progress may take.
    public func shutdown(drain time: Duration) async {
        for loop in loops { loop.finish() }
        let end = ContinuousClock.now + time
        while loops.contains(where: { !$0.hasEnded }), ContinuousClock.now < end {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
        }
        close()
        // A slow disk may delay the end of a download: that is not waited for.
        let limit = ContinuousClock.now + .seconds(1)
        while loops.contains(where: { !$0.hasEnded }), ContinuousClock.now < limit { await Task.yield() }
    }

    /// Ends the sender at once: requests under way and later ones fail with ``TransportError/Code/senderClosed``.
    ///
    /// A download fails when its file has been let go of, which a slow disk may delay. One whose body has come, so that
    /// only the file is still to be written, completes. Both are then told on the file's queue.
    public func close() {
        for loop in loops { loop.close() }
    }
}
#endif
