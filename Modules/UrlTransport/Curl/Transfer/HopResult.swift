#if os(Linux)
/// What follows the completion of a hop in libcurl.
enum HopResult {
    /// Why the sender sends the request again.
    enum SendAgainReason {
        /// Its connection broke before a response.
        case connectionLost(TransportError)
        /// The response with this status rejects an `Expect`, or doesn't fit the partial file.
        case rejected(status: Int)
    }

    case response(HttpResponse)
    case failure(TransportError)
    /// A redirect to follow.
    case redirect(HttpRequest)
    /// The next attempt.
    case sendAgain(HttpRequest, SendAgainReason)
    /// The same request over another connection, maybe a new one: nothing was sent.
    case reconnect(needsNew: Bool)

    var isTimeout: Bool {
        guard case .failure(let error) = self else { return false }
        return error.code == .requestTimedOut || error.code == .stalled
    }

    /// Whether the server may have moved to another address.
    var doubtsAddresses: Bool {
        switch self {
        case .failure(let error):
            isTimeout || [.cannotConnect, .connectionRefused, .connectTimedOut].contains(error.code)
        case .sendAgain(_, .connectionLost): true
        case .response, .redirect, .sendAgain, .reconnect: false
        }
    }

    /// Returns the result with metrics in its error, if it has one.
    func measured(_ metrics: @autoclosure () -> TransferMetrics) -> HopResult {
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
