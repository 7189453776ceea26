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

    var isFailure: Bool {
        if case .failure = self { true } else { false }
    }

    var isTimeout: Bool {
        guard case .failure(let error) = self else { return false }
        return error.code == .requestTimedOut || error.code == .stalled
    }

    /// Whether the server may have moved to another address.
    var doubtsAddresses: Bool {
        switch self {
        case .failure(let error):
            isTimeout || [.cannotConnect, .connectionRefused, .connectTimedOut].contains(error.code)
        case .sendAgain(_, let error): error != nil
        case .response, .redirect, .reconnect: false
        }
    }

    /// Returns the result with metrics in its error, if it has one.
    func measured(_ metrics: @autoclosure () -> TransferMetrics) -> HopResult {
        switch self {
        case .failure(var error):
            error.metrics = metrics()
            return .failure(error)
        case .sendAgain(let request, var error?):
            error.metrics = metrics()
            return .sendAgain(request, after: error)
        case .response, .redirect, .sendAgain, .reconnect: return self
        }
    }
}
#endif
