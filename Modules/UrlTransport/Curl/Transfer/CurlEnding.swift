#if os(Linux)
/// What follows when libcurl has completed a hop.
enum CurlEnding {
    /// Why the request is sent again by the sender itself.
    enum SendAgainReason {
        /// Its connection broke before a response.
        case connectionLost(TransportError)
        /// The server rejected it with this status: a range of a file that has changed, or an `Expect`.
        case rejected(status: Int)
    }

    case response(HttpResponse)
    case failure(TransportError)
    /// A redirect to follow.
    case redirect(HttpRequest)
    /// The next attempt.
    case sendAgain(HttpRequest, SendAgainReason)
    /// The same over another connection, maybe a new one: nothing was sent.
    case reconnect(needsNew: Bool)

    var isTimeout: Bool {
        guard case .failure(let error) = self else { return false }
        return error.code == .requestTimedOut || error.code == .stalled
    }

    /// With metrics in its error.
    func measured(_ metrics: @autoclosure () -> TransferMetrics) -> CurlEnding {
        switch self {
        case .failure(var error):
            error.metrics = metrics()
            return .failure(error)
        case .sendAgain(let request, .connectionLost(var error)):
            error.metrics = metrics()
            return .sendAgain(request, .connectionLost(error))
        case .response, .redirect, .sendAgain, .reconnect: return self
        }
    }
}
#endif
