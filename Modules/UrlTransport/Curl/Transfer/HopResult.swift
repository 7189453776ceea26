#if os(Linux)
/// What follows the completion of a hop in libcurl.
enum HopResult {
    case response(HttpResponse)
    case failure(TransportError)
    /// A redirect to follow.
    case redirect(HttpRequest)
    /// The next attempt, after the connection broke before a response; without an error, after a response that rejects an
    /// `Expect` or doesn't fit the partial file.
    case sendAgain(HttpRequest, after: TransportError?)
    /// The same request over a new connection: nothing was sent.
    case reconnect

    /// How the request on the hop's connection ended.
    var end: Connection.RequestEnd {
        guard case .failure(let error) = self else { return .ended }
        return error.code == .requestTimedOut || error.code == .stalled ? .timedOut : .failed
    }

    /// Whether the server may have moved to another address.
    var doubtsAddresses: Bool {
        switch self {
        case .failure(let error):
            end == .timedOut || [.cannotConnect, .connectionRefused, .connectTimedOut].contains(error.code)
        case .sendAgain(_, let error): error != nil
        case .response, .redirect, .reconnect: false
        }
    }
}
#endif
