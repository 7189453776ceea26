import Foundation
import NodeCore
import UrlTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends with URLSession: the default on Apple platforms, an alternative on Linux.
///
/// It does what the configuration says, or says that it can't: settings that URLSession has no counterpart for throw
/// when the sender is made. These are `tls` but for its defaults, `proxy` but for `.environment` and `.none`,
/// `httpVersion` but for `.automatic`, `limits.headerSize`, and `compression = false`. The time until a connection is
/// made isn't limited apart: `timeouts.stall` covers it. Files of a body are read into memory.
///
/// Connections belong to the sender. When the last reference goes, requests under way still come to their end. Answers
/// are delivered on a queue of the session's, which must not be blocked.
public final class UrlSessionRequestSender: RequestSender {
    /// How the sender works.
    public let configuration: SenderConfiguration
    private let session: URLSession
    private let delegate: SessionDelegate

    /// Makes a sender with a session of its own.
    ///
    /// - Throws: `SenderConfigurationError` for settings that can't work, are unsafe by mistake, or that URLSession has
    ///   no counterpart for.
    public init(configuration: SenderConfiguration = SenderConfiguration()) throws {
        try configuration.validate()
        try configuration.validateForUrlSession()
        self.configuration = configuration
        delegate = SessionDelegate(configuration: configuration)
        session = URLSession(
            configuration: .make(configuration), delegate: delegate, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Sends the request; see `RequestSender`.
    public func send(_ request: RawUrlRequest) -> Observer<UrlDataResponse> {
        do {
            let task = session.dataTask(with: try URLRequest(request, configuration: configuration))
            return delegate.start(task, for: request)
        } catch {
            return .emit(error: error)
        }
    }

    /// Ends the sender at once: requests under way fail with `TransportError.Code.senderClosed`, as do later ones.
    public func close() {
        delegate.close()
        session.invalidateAndCancel()
    }
}
