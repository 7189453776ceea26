#if os(Linux)
import FoundationEssentials
import HttpMessages

/// Sends requests with libcurl, on one thread with one connection pool, or on several (`CurlConfiguration.threads`).
///
/// Connections, TLS sessions and stored cookies belong to the sender. Create one sender for all requests that may share
/// them. When its last reference is released, requests in progress still complete.
///
/// Don't use a sender in a forked process: it has no thread there, so its requests never complete. POSIX allows the
/// child of a multithreaded process only async-signal-safe functions before `exec` (fork(2)).
public final class CurlRequestSender: RequestSender, TraitDeclaring {
    /// The settings of a sender.
    public typealias Configuration = CurlConfiguration

    /// The settings of the sender.
    public let configuration: Configuration
    package let traits: SenderTraits
    private let loops: [EventLoop]
    private let settings: CurlSettings

    /// Creates a sender and starts its threads.
    ///
    /// - Throws: `SenderConfigurationError` for settings that can't work or are unsafe by mistake, or when libcurl
    ///   can't be set up or a thread can't be started.
    public init(configuration: Configuration = Configuration()) throws {
        try configuration.validate()
        if configuration.httpVersion == .http2PriorKnowledge, !LibcurlWorkarounds.supportsHttp2 {
            throw SenderConfigurationError(setting: "httpVersion", reason: "this libcurl was built without HTTP/2")
        }
        if !configuration.tls.allowsKeyLog, curlHasKeyLog {
            throw SenderConfigurationError(
                setting: "tls.allowsKeyLog",
                reason: "SSLKEYLOGFILE is set, or was for the first sender: libcurl logs all keys")
        }
        self.configuration = configuration
        traits = configuration.makeTraits()
        settings = CurlSettings(configuration)
        var loops: [EventLoop] = []
        do {
            for _ in 0..<configuration.threads { loops.append(try EventLoop(configuration: configuration)) }
        } catch {
            for loop in loops { loop.end(.finishing) }
            throw error
        }
        self.loops = loops
    }

    deinit {
        for loop in loops { loop.end(.finishing) }
    }

    /// Sends the request; see `RequestSender.send(_:)`. An invalid request fails with
    /// `TransportError.Code.invalidRequest` or `TransportError.Code.invalidUrl` before anything is sent.
    ///
    /// A request is sent once. If its connection dies before anything was sent, another one is opened, once. If it is lost
    /// after that and before a response, the request fails with `TransportError.Code.connectionLost`, and
    /// `TransportError.wasProcessed` says what is known: sending again is up to the caller. A chain's `RetryNode` does it
    /// where that is safe (RFC 9110 §9.2.2).
    public func send(_ request: HttpRequest) async throws -> HttpResponse {
        let (origin, isPlain) = try request.validate()
        try Self.rejectRangeHeaders(of: request)
        let loop = loop(of: origin)
        let transfer = CurlTransfer(request, plainOrigin: isPlain ? origin : nil, settings: settings) { loop.post($0) }
        // A concurrent cancellation may post `.cancel` before `.start`: then the scheduler finds that the transfer has ended,
        // and sends nothing.
        return try await transfer.reply.response {
            loop.post(.start(transfer))
        } cancel: {
            transfer.cancel()
        }
    }

    /// Returns the event loop of an origin. Requests to one origin share a loop and its connections.
    private func loop(of origin: Origin) -> EventLoop {
        loops.count == 1 ? loops[0] : loops[Int(UInt(bitPattern: origin.hashValue) % UInt(loops.count))]
    }

    /// Rejects range headers of a resumed download, because the partial file determines the range.
    private static func rejectRangeHeaders(of request: HttpRequest) throws(TransportError) {
        guard request.isResumedDownload else { return }
        guard request.headers["Range"] == nil, request.headers["If-Range"] == nil else {
            throw TransportError(
                .invalidRequest, of: request, reason: "a download that is resumed can't have a Range of its own")
        }
    }

    /// Runs tasks on the thread that sends their requests, so that a request needs no change of threads: for a service or
    /// a tool whose tasks compute little between requests. On Linux only.
    ///
    /// ```swift
    /// let task = Task(executorPreference: sender.taskExecutor) { try await api.get("users/1").send(as: User.self) }
    /// ```
    ///
    /// While such a task computes, the sender neither sends nor receives, so decode large bodies elsewhere. A task that
    /// blocks the thread until a response arrives blocks it for ever. With several `CurlConfiguration.threads` it is the
    /// first one. When the sender has ended, the tasks run on the global executor.
    public var taskExecutor: any TaskExecutor { loops[0] }

    /// Notifies the sender that the machine's network has changed, as after a change of Wi-Fi or VPN.
    ///
    /// Later requests resolve names anew. They use no connection that had sent a request before, unless it was in use
    /// and a byte has arrived over it since. Requests in progress continue.
    public func resetConnections() {
        for loop in loops { loop.post(.networkChanged) }
    }

    /// Closes the sender after its requests have completed, for the shutdown of a service.
    ///
    /// Later requests fail with `TransportError.Code.senderClosed`. Requests that are still in progress after `time`,
    /// or when the task is canceled, fail with it, too. Returns when the sender's threads have ended, at the latest a
    /// second after that: a slow disk may delay the completion of a download.
    ///
    /// - Parameter time: the longest time for requests in progress.
    public func shutdown(drain time: Duration) async {
        for loop in loops { loop.end(.finishing) }
        await waitForEnd(atMost: time)
        close()
        // Not in this task, which may be canceled.
        await Task.detached { [self] in await waitForEnd(atMost: .seconds(1)) }.value
    }

    private func waitForEnd(atMost time: Duration) async {
        await withTaskGroup(of: Void.self) { [loops] group in
            group.addTask { for loop in loops { await loop.waitForEnd() } }
            group.addTask { try? await Task.sleep(for: min(time, .seconds(1 << 32))) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Closes the sender at once: requests in progress and later ones fail with `TransportError.Code.senderClosed`.
    ///
    /// A download fails after its file is released, which a slow disk may delay. A download whose body was received
    /// completely still completes.
    public func close() {
        for loop in loops { loop.end(.closing) }
    }
}
#endif
