public import NodeCore

/// Sends requests: the interface between a chain and the network.
///
/// `CurlRequestSender` uses libcurl, `UrlSessionRequestSender` uses URLSession, and `ScriptedRequestSender` of
/// NetChainTestKit returns scripted responses.
public protocol RequestSender: Sendable {
    /// Sends the request and returns the response, whatever its status. May be called from any task, several times at
    /// once. Canceling the task cancels the transfer at once.
    ///
    /// - Throws: a ``TransportError`` when no complete response arrived.
    func send(_ request: HttpRequest) async throws -> HttpResponse

    /// Closes the sender when its requests have completed, for a service that is asked to stop. Later requests fail with
    /// ``TransportError/Code/senderClosed``, and so do those that are in progress when the time expires or the calling
    /// task is canceled. A sender that wraps another one passes the call on. By default nothing happens.
    ///
    /// - Parameter time: the time limit for requests in progress.
    func shutdown(drain time: Duration) async

    /// Closes the sender at once: requests in progress and later ones fail with ``TransportError/Code/senderClosed``. A
    /// sender that wraps another one passes the call on. By default nothing happens.
    func close()
}

extension RequestSender {
    /// Does nothing: a sender without connections has nothing to close.
    public func shutdown(drain time: Duration) async {}

    /// Does nothing: a sender without connections has nothing to close.
    public func close() {}
}

/// A sender whose responses are observers, such as one of a library with callbacks.
public protocol ObservingSender: RequestSender {
    /// Sends the request and delivers the response. A cancel of the observer must cancel the transfer.
    func process(_ request: HttpRequest) -> Observer<HttpResponse>
}

extension ObservingSender {
    /// Waits for the observer.
    public func send(_ request: HttpRequest) async throws -> HttpResponse {
        try await process(request).value
    }
}
