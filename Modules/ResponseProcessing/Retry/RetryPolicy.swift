import HttpMessages

/// When and how often a failed request is sent again.
///
/// The predefined policies, ``exponential(maxAttempts:initialDelay:multiplier:maximumDelay:jitter:timeLimit:)`` and
/// ``constant(_:maxAttempts:maximumDelay:timeLimit:)``, send again where ``FailedAttempt/isWorthAnother``. A custom
/// rule decides by the request, the response or the error:
///
/// ```swift
/// // GitHub responds with 403 when the limit of requests is reached.
/// let usual = RetryPolicy.exponential()
/// let policy = RetryPolicy(maxAttempts: 5) { attempt in
///     guard attempt.response?.headers["X-RateLimit-Remaining"] == "0" else { return usual.shouldRetry(attempt) }
///     return .after(.seconds(60))
/// }
/// ```
///
/// A request whose body is a stream isn't sent again once the stream has been read.
public struct RetryPolicy: Sendable {
    /// How often a request is sent at the most, the first time included. At least 1. A request that is sent again after
    /// a token refresh is counted from the start, and so is a resumed download after an attempt that received a part of
    /// the file.
    public var maxAttempts: Int
    /// How long after the start of the first attempt the last one may start, delays included; nil for no such limit.
    /// The duration of one attempt is limited by its own timeouts.
    public var timeLimit: Duration?
    /// Decides whether a request is sent again after an attempt that wasn't the last one. Called on any thread.
    public var shouldRetry: @Sendable (FailedAttempt) -> RetryDecision {
        didSet { backoff = nil }
    }
    /// The delays of a predefined policy, which know why there is none; nil for a custom rule.
    private var backoff: Backoff?

    /// Creates a policy with a custom rule.
    public init(
        maxAttempts: Int = 3, timeLimit: Duration? = nil,
        shouldRetry: @escaping @Sendable (FailedAttempt) -> RetryDecision
    ) {
        self.maxAttempts = max(1, maxAttempts)
        self.timeLimit = timeLimit
        self.shouldRetry = shouldRetry
    }

    /// Sends each request once: turns the policy of a client off. As with any policy of one attempt, the libcurl sender
    /// sends nothing again by itself that a server may have processed.
    public static let never = RetryPolicy(maxAttempts: 1) { _ in .no }

    /// Exponential backoff with jitter: 0.2 s, 0.4 s, 0.8 s … up to 10 s, each randomly shortened by up to a half, so
    /// that clients don't retry all at once.
    ///
    /// A delay is never shorter than the response's `Retry-After` (RFC 9110 §10.2.3). Where that is longer than
    /// `maximumDelay`, the request fails at once with the error at hand.
    public static func exponential(
        maxAttempts: Int = 3, initialDelay: Duration = .milliseconds(200), multiplier: Double = 2,
        maximumDelay: Duration = .seconds(10), jitter: Double = 0.5, timeLimit: Duration? = nil
    ) -> RetryPolicy {
        let backoff = Backoff(
            initialDelay: initialDelay, multiplier: multiplier, maximumDelay: maximumDelay, jitter: jitter)
        var policy = RetryPolicy(maxAttempts: maxAttempts, timeLimit: timeLimit) { attempt in
            guard attempt.isWorthAnother, let delay = backoff.delay(after: attempt) else { return .no }
            return .after(delay)
        }
        policy.backoff = backoff
        return policy
    }

    /// The same delay every time, unless `Retry-After` asks for a longer one, up to `maximumDelay`.
    public static func constant(
        _ delay: Duration, maxAttempts: Int = 3, maximumDelay: Duration = .seconds(10), timeLimit: Duration? = nil
    ) -> RetryPolicy {
        exponential(
            maxAttempts: maxAttempts, initialDelay: delay, multiplier: 1, maximumDelay: max(delay, maximumDelay),
            jitter: 0, timeLimit: timeLimit)
    }

    /// The same policy, with no attempt that starts later than a deadline.
    package func ending(within deadline: Duration?) -> RetryPolicy {
        var policy = self
        if let deadline { policy.timeLimit = min(timeLimit ?? deadline, deadline) }
        return policy
    }

    /// The delay before the next attempt; nil where there is none.
    func delay(after attempt: FailedAttempt) -> Duration? {
        if case .sendAgain(let delay) = nextAttempt(after: attempt) { delay } else { nil }
    }

    /// What follows an attempt: another one after a delay, or none, with the reason as the end of a sentence.
    enum NextAttempt {
        case sendAgain(after: Duration)
        case end(reason: String)
    }

    func nextAttempt(after attempt: FailedAttempt) -> NextAttempt {
        guard attempt.number < maxAttempts else {
            return .end(reason: "the policy allows \(maxAttempts == 1 ? "one" : "\(maxAttempts)")")
        }
        guard attempt.request.body.canBeSent else { return .end(reason: "its body is a stream, which was read") }
        let delay: Duration
        switch shouldRetry(attempt) {
        case .no: return .end(reason: backoff?.reason(against: attempt) ?? "the policy's rule allows no other")
        case .now: delay = .zero
        case .after(let wait): delay = wait
        }
        // A sum of `Duration` traps on overflow, and the settings may be anything.
        if let timeLimit, attempt.elapsed / .seconds(1) + delay / .seconds(1) > timeLimit / .seconds(1) {
            return .end(reason: "another one after \(delay) would pass the time limit, \(timeLimit)")
        }
        return .sendAgain(after: delay)
    }
}

/// The decision of a rule about a failed attempt.
public enum RetryDecision: Sendable {
    /// The request fails with the error at hand.
    case no
    /// The request is sent again at once.
    case now
    /// The request is sent again after a time.
    case after(Duration)
}

/// The delays of the predefined policies.
struct Backoff: Sendable {
    var initialDelay: Duration
    var multiplier: Double
    var maximumDelay: Duration
    /// The random part of each delay, from 0 to 1.
    var jitter: Double

    /// The delay; nil where the server asks for one that exceeds the maximum.
    func delay(after attempt: FailedAttempt) -> Duration? {
        let retryAfter = attempt.retryAfter
        if let retryAfter, retryAfter > maximumDelay { return nil }
        return max(ownDelay(after: attempt.number, chance: attempt.chance), retryAfter ?? .zero)
    }

    /// Why no other attempt follows.
    func reason(against attempt: FailedAttempt) -> String? {
        if let objection = attempt.objection { return objection }
        return attempt.retryAfter.map { "the server's Retry-After is \($0), and maximumDelay is \(maximumDelay)" }
    }

    private func ownDelay(after attempt: Int, chance: Double) -> Duration {
        // In seconds and at most a hundred years, since a `Duration` traps on overflow.
        let longest = min(max(0, maximumDelay / .seconds(1)), 3_000_000_000)
        var seconds = max(0, initialDelay / .seconds(1))
        if seconds > 0, multiplier > 1 { seconds *= multiplier.raised(to: max(1, attempt) - 1) }
        seconds = min(seconds, longest)
        seconds -= seconds * min(1, max(0, jitter)) * min(1, max(0, chance))
        return .microseconds(Int64((seconds * 1_000_000).rounded()))
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
