public import NodeCore

/// What sends a request: the seam between the chain and the network. The chain doesn't know who sends.
///
/// `CurlRequestSender` sends with libcurl, `UrlSessionRequestSender` with URLSession, `ScriptedRequestSender` of
/// NetChainTestKit answers as a test says.
public protocol RequestSender: Sendable {
    /// Sends the request and gives the answer, whatever its status. May be called from any thread, any number of times
    /// at once.
    ///
    /// The observer fails with a ``TransportError`` when no whole answer arrived. Canceling it ends the transfer at
    /// once. It may settle on any thread: the chain goes on where it runs.
    func send(_ request: HttpRequest) -> Observer<HttpResponse>
}
