import UrlTransport

/// When and how often a request that failed is sent again.
///
/// Sent again are requests that failed on their way (no connection, a broken one, a timeout) or were answered with 408,
/// 429, 502, 503 or 504. A request whose method isn't idempotent (RFC 9110 §9.2.2), as `POST`, is sent again only when
/// nothing of it can have reached the server, or when it has an `Idempotency-Key`: one that it had before it came to
/// ``RetryNode``, since what is added behind that, as by a metadata provider, may be another one each time.
///
/// A request whose body is a stream isn't sent again once the stream has been read.
///
/// A delay is never shorter than the response's `Retry-After` (RFC 9110 §10.2.3). Where that is longer than
/// ``maximumDelay``, or any delay would pass ``timeLimit``, the request fails at once with the error at hand.
public struct RetryPolicy: Hashable, Sendable {
    /// How often a request is sent at the most, the first time included. At least 1.
    public var attempts: Int
    /// The delay before the second sending.
    public var firstDelay: Duration
    /// What each delay is multiplied with for the next one. 1 keeps it the same.
    public var factor: Double
    /// The longest delay. A request whose `Retry-After` is longer isn't sent again.
    public var maximumDelay: Duration
    /// The part of each delay that is left to chance, from 0 to 1, so that clients don't come back all at once.
    public var jitter: Double
    /// How long after the start of the first attempt the last one may begin, delays included; nil for no such limit. How
    /// long one attempt takes is for its own timeouts.
    public var timeLimit: Duration?

    /// Delays that grow: 0.2 s, 0.4 s, 0.8 s … up to 10 s, each shortened by up to a half by chance.
    public static func exponential(
        attempts: Int = 3, firstDelay: Duration = .milliseconds(200), factor: Double = 2,
        maximumDelay: Duration = .seconds(10), jitter: Double = 0.5, timeLimit: Duration? = nil
    ) -> RetryPolicy {
        RetryPolicy(
            attempts: max(1, attempts), firstDelay: firstDelay, factor: max(1, factor), maximumDelay: maximumDelay,
            jitter: min(1, max(0, jitter)), timeLimit: timeLimit)
    }

    /// The same delay every time, unless `Retry-After` asks for a longer one, up to `maximumDelay`.
    public static func constant(
        _ delay: Duration, attempts: Int = 3, maximumDelay: Duration = .seconds(10), timeLimit: Duration? = nil
    ) -> RetryPolicy {
        exponential(
            attempts: attempts, firstDelay: delay, factor: 1, maximumDelay: max(delay, maximumDelay), jitter: 0,
            timeLimit: timeLimit)
    }

    /// The delay after the attempt with this number, counted from 1; nil where there is to be no other attempt.
    ///
    /// - Parameters:
    ///   - retryAfter: the least delay that the server asks for.
    ///   - elapsed: the time since the start of the first attempt.
    ///   - random: from 0 to 1, for the jitter.
    func delay(after attempt: Int, retryAfter: Duration?, elapsed: Duration, random: Double) -> Duration? {
        if let retryAfter, retryAfter > maximumDelay { return nil }
        let delay = max(ownDelay(after: attempt, random: random), retryAfter ?? .zero)
        // A sum of `Duration` traps where it overflows, and the settings may be anything.
        if let timeLimit, elapsed / .seconds(1) + delay / .seconds(1) > timeLimit / .seconds(1) { return nil }
        return delay
    }

    /// The delay by these settings alone.
    private func ownDelay(after attempt: Int, random: Double) -> Duration {
        // In seconds and at most a hundred years, for the same reason.
        let longest = min(max(0, maximumDelay / .seconds(1)), 3_000_000_000)
        var seconds = max(0, firstDelay / .seconds(1))
        if seconds > 0, factor > 1 { seconds *= factor.raised(to: max(1, attempt) - 1) }
        seconds = min(seconds, longest)
        seconds -= seconds * min(1, max(0, jitter)) * min(1, max(0, random))
        return .microseconds(Int64((seconds * 1_000_000).rounded()))
    }

    /// Whether this failure of this request is worth another sending.
    func isWorthAnother(_ error: any Error, of request: HttpRequest) -> Bool {
        guard request.attempt < attempts, request.body.canBeSent else { return false }
        let mayRepeat = request.method.mayRepeat(with: request.headers)
        if let error = error as? HttpError {
            return mayRepeat && [408, 429, 502, 503, 504].contains(error.statusCode)
        }
        guard let error = (error as? TechnicalError)?.cause ?? error as? TransportError else { return false }
        switch error.code {
        // Behind a redirect the first server has got the request, whatever became of the connection to the next one.
        case .noNetwork, .hostNotFound, .connectionRefused, .cannotConnect, .connectTimedOut:
            return error.redirects == 0 || mayRepeat
        case .requestTimedOut, .stalled, .connectionLost, .emptyResponse, .truncatedResponse: return mayRepeat
        default: return false
        }
    }
}

extension Double {
    /// This number to the power of `exponent`, in as many steps as that has binary digits.
    fileprivate func raised(to exponent: Int) -> Double {
        var (power, square, rest) = (1.0, self, exponent)
        while rest > 0 {
            if rest & 1 == 1 { power *= square }
            square *= square
            rest >>= 1
        }
        return power
    }
}
