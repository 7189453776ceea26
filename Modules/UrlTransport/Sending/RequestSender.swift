public import NodeCore

/// Sends requests: the interface between a chain and the network.
///
/// `CurlRequestSender` uses libcurl, `UrlSessionRequestSender` uses URLSession, and `ScriptedRequestSender` of
/// NetChainTestKit returns scripted responses.
public protocol RequestSender: Sendable {
    /// Sends the request and delivers the response, whatever its status. May be called from any thread, several times
    /// at once.
    ///
    /// The observer fails with a ``TransportError`` when no complete response arrived. Canceling it cancels the
    /// transfer at once. It may settle on any thread; the chain resumes in its own task.
    func send(_ request: HttpRequest) -> Observer<HttpResponse>
}
