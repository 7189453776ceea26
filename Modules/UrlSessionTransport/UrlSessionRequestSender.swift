import Foundation
import HttpMessages
import NodeCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends with URLSession: the default on Apple platforms, an alternative on Linux.
///
/// Connecting has no separate time limit; `timeouts.stall` includes it. URLSession decides how many idle connections it
/// keeps and how large headers may be.
///
/// A body that is one file of 1 MiB or more is read while it is sent. All others, including forms with files, are read
/// into memory on the caller's thread. A stream is written to a temporary file first, and sent when it is complete. A
/// `GET` with a body fails with `invalidRequest`. A download always starts from the beginning: `resuming` has no effect.
///
/// Connections belong to the sender. When its last reference is released, requests in progress still complete.
/// Responses are delivered on the session's delegate queue, which must not be blocked.
///
/// URLSession reports less than libcurl:
///
/// - A refused connection is `cannotConnect`.
/// - Headers with the same name are joined by commas.
/// - The metrics are the total time, the bytes and the redirects.
/// - A body without a `Content-Type` is declared as a form.
/// - A part (206) of a compressed body fails with `invalidContentEncoding`, because URLSession would decompress it.
///
/// On Linux URLSession is FoundationNetworking, which has defects that this sender can't work around (Swift 6.3):
/// - **It terminates the process when a server closes the connection in the middle of its headers.** Use it only with
///   trusted servers, or use `CurlRequestSender`.
/// - **It takes bytes that a server sends on an idle connection for the next response**, such as a 408 before the
///   server closes the connection.
/// - **It sends a `POST` without a body twice** when a reused connection is lost without a response. A `POST` with a
///   body is not sent twice, but waits until `timeouts.stall` or `timeouts.request` expires.
/// - It reads ahead of a slow reader of a stream and of a slow disk: the rest of the body waits in memory.
/// - It reads ahead of this sender. A body that is too large fails the request. Until then the data accumulate in
///   memory, gigabytes of them with a fast endless response and a busy machine.
/// - It reports the response of a proxy to CONNECT, too. So a stream over HTTPS begins with its first byte where the head
///   has neither a `Content-Type` nor a length.
/// - Headers without an end fail at a limit of libcurl, with `internalFailure`.
/// - A truncated compressed body passes as a complete one.
/// - The body of a redirect without a `Location` is lost. The request fails with `truncatedResponse`.
/// - Requests without a body send `Content-Length: 0`, except `GET` and `HEAD`.
/// - A request that is canceled while it is being sent may still reach the server.
public final class UrlSessionRequestSender: RequestSender, TraitDeclaring {
    package let configuration: SenderConfiguration
    package let traits: SenderTraits
    private let session: URLSession
    private let delegate: SessionDelegate

    /// Creates a sender with a dedicated session.
    ///
    /// - Throws: `SenderConfigurationError` for settings that can't work or are unsafe by mistake.
    public init(configuration: SenderConfiguration = SenderConfiguration()) throws {
        try configuration.validate()
        self.configuration = configuration
        traits = SenderTraits(configuration)
        delegate = SessionDelegate(configuration: configuration)
        session = URLSession(configuration: .make(configuration), delegate: delegate, delegateQueue: nil)
    }

    #if canImport(Darwin)
    /// Creates a sender with a dedicated session and URLSession's own settings.
    ///
    /// - Throws: `SenderConfigurationError` for settings that can't work or are unsafe by mistake.
    public init(configuration: Configuration) throws {
        try configuration.shared.validate()
        self.configuration = configuration.shared
        traits = SenderTraits(
            configuration.shared,
            certificate: configuration.clientCertificate.map { "\(Sha256.digest($0.data))" })
        delegate = SessionDelegate(
            configuration: configuration.shared, security: try SessionSecurity(configuration))
        session = URLSession(
            configuration: .make(configuration.shared, from: configuration.session?() ?? .ephemeral),
            delegate: delegate, delegateQueue: nil)
    }
    #endif

    deinit {
        delegate.finish(session)
    }

    /// Sends the request; see `RequestSender`.
    public func send(_ request: HttpRequest) async throws -> HttpResponse {
        try Task.checkCancellation()
        return try await delegate.send(request, in: session).value
    }

    /// Closes the sender when its requests have completed, for a graceful shutdown.
    ///
    /// Later requests fail with `TransportError.Code.senderClosed`. So do requests that are still in progress when the
    /// time expires or the calling task is canceled.
    ///
    /// - Parameter time: the time limit for requests in progress.
    public func shutdown(drain time: Duration) async {
        delegate.finish(session)
        let end = ContinuousClock.now + min(time, .seconds(1 << 32))
        while !delegate.isIdle, ContinuousClock.now < end {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
        }
        close()
    }

    /// Closes the sender at once. Requests in progress and later ones fail with `TransportError.Code.senderClosed`.
    public func close() {
        delegate.close(session)
    }
}
