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
/// `httpVersion` but for `.automatic`, `timeouts.connect`, `limits.headerSize` and `limits.idleConnections` but for their
/// defaults, `loops` but for 1, `resending = .never`, and `compression = false`. The time until a connection is made isn't
/// limited apart: `timeouts.stall` covers it. How many idle connections it keeps, and how large headers may be, is
/// URLSession's own affair. A body that is one file of 1 MiB or more is read while it is sent; all others, forms with
/// files too, are read into memory on the thread of the caller. A body that is a stream is written to a temporary file
/// first, and sent when it is complete. A download starts from the beginning each time: `resuming` does nothing.
///
/// Connections belong to the sender. When the last reference is released, requests in progress still complete. Answers
/// are delivered on a queue of the session's, which must not be blocked.
///
/// URLSession tells less than libcurl: a refused connection is `cannotConnect`, headers of one name come as one, their
/// values joined by commas, and of the metrics there are the total time, the bytes and the redirects. A body without a
/// `Content-Type` is declared as a form.
///
/// On Linux URLSession is FoundationNetworking, which has faults that can't be mended from here (Swift 6.3):
/// - **It ends the process when a server closes the connection in the middle of its headers.** Talk to servers that you
///   trust, or use `CurlRequestSender`.
/// - **Bytes that a server sends on an idle connection are taken for the next request's answer**: a 408 with which it
///   says goodbye, for instance.
/// - **A `POST` without a body is sent twice** when a connection that served others before dies without an answer. One
///   with a body is not, but waits until `timeouts.stall` or `timeouts.request` ends it.
/// - It reads ahead of a slow reader of a stream and of a slow disk: the rest of the body waits in memory.
/// - It reads ahead of this sender: a body that is too large ends the request, but until then what comes piles up in
///   memory, gigabytes of it when a fast server sends without an end and the machine is busy.
/// - Headers without an end fail at a limit of libcurl's own, with `internalFailure`.
/// - A compressed body that ends early passes for a whole one.
/// - The body of a redirect without a `Location` is lost; the request fails with `truncatedResponse`.
/// - Requests without a body say `Content-Length: 0`, but for `GET` and `HEAD`.
/// - A request that is canceled in the moment in which it is sent may still reach the server.
public final class UrlSessionRequestSender: RequestSender {
    /// How the sender works.
    public let configuration: SenderConfiguration
    private let session: URLSession
    private let delegate: SessionDelegate

    /// Creates a sender with a session of its own.
    ///
    /// - Throws: `SenderConfigurationError` for settings that can't work, are unsafe by mistake, or that URLSession has
    ///   no counterpart for.
    public init(configuration: SenderConfiguration = SenderConfiguration()) throws {
        try configuration.validate()
        try configuration.validateForUrlSession()
        self.configuration = configuration
        delegate = SessionDelegate(configuration: configuration)
        session = URLSession(configuration: .make(configuration), delegate: delegate, delegateQueue: nil)
    }

    deinit {
        delegate.finish(session)
    }

    /// Sends the request; see `RequestSender`.
    public func send(_ request: HttpRequest) -> Observer<HttpResponse> {
        delegate.send(request, in: session)
    }

    /// Ends the sender when its requests have completed: for a service that is asked to stop.
    ///
    /// Later requests fail with `TransportError.Code.senderClosed`. Those that are in progress when the time has passed,
    /// or when the task is canceled, fail with it too.
    ///
    /// - Parameter time: how long requests in progress may take.
    public func shutdown(drain time: Duration) async {
        delegate.finish(session)
        let end = ContinuousClock.now + time
        while !delegate.isIdle, ContinuousClock.now < end {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { break }
        }
        close()
    }

    /// Ends the sender at once: requests in progress fail with `TransportError.Code.senderClosed`, as do later ones.
    public func close() {
        delegate.close(session)
    }
}
