import HttpMessages

/// When and how often a failed request is sent again.
///
/// The predefined policies send again where ``FailedAttempt/isWorthAnother``:
/// ``exponential(maxAttempts:alsoOn:initialDelay:multiplier:maximumDelay:jitter:timeLimit:)`` and
/// ``constant(_:maxAttempts:alsoOn:maximumDelay:timeLimit:)``. ``or(_:)`` adds a rule by the request, the response or
/// the error:
///
/// ```swift
/// // GitHub responds with 403 when the limit of requests is reached.
/// let policy = RetryPolicy.exponential(maxAttempts: 5).or { attempt in
///     attempt.response?.headers["X-RateLimit-Remaining"] == "0" ? .after(.seconds(60)) : .no
/// }
/// ```
///
/// A request whose body is a stream isn't sent again once the stream has been read.
public struct RetryPolicy: Sendable {
    /// How often a request is sent at the most, the first time included. A number below 1 means 1.
    ///
    /// What no server has processed is sent again beyond that when its connection was lost, up to three times. A request
    /// that is sent again after a token refresh is counted from the start, and so is a resumed download after an attempt
    /// that received a part of the file, for its first 10,000 attempts.
    public var maxAttempts: Int {
        didSet { maxAttempts = max(1, maxAttempts) }
    }
    /// How long after the start of the first attempt the last one may start, delays included; nil for no such limit.
    /// The duration of one attempt is limited by its own timeouts.
    public var timeLimit: Duration? { didSet { isDeadline = false } }
    /// Whether ``timeLimit`` is what is left of a deadline.
    private var isDeadline = false
    /// Decides whether a request is sent again after an attempt that wasn't the last one. Called on any thread.
    public var shouldRetry: @Sendable (FailedAttempt) -> RetryDecision {
        didSet { usualRule = nil }
    }
    /// The rule of a predefined policy, which knows why no other attempt follows; nil for a custom rule.
    private var usualRule: UsualRule?

    /// Creates a policy with a custom rule.
    public init(
        maxAttempts: Int = 3, timeLimit: Duration? = nil,
        shouldRetry: @escaping @Sendable (FailedAttempt) -> RetryDecision
    ) {
        self.maxAttempts = max(1, maxAttempts)
        self.timeLimit = timeLimit
        self.shouldRetry = shouldRetry
    }

    /// Sends each request once: turns the policy of a client off. As with any policy of one attempt, nothing is sent again
    /// that a server may have processed; what no server has processed still is, when a connection was lost.
    public static let never = RetryPolicy(maxAttempts: 1) { _ in .no }

    /// Exponential backoff with jitter: 0.2 s, 0.4 s, 0.8 s … up to 10 s, each randomly shortened by up to a half, so
    /// that clients don't retry all at once.
    ///
    /// A delay is never shorter than the response's `Retry-After` (RFC 9110 §10.2.3). Where that is longer than
    /// `maximumDelay`, the request fails at once with the error at hand.
    ///
    /// - Parameters:
    ///   - maxAttempts: ``maxAttempts``.
    ///   - statuses: statuses after which a request is sent again besides 408, 429, 502, 503 and 504, if it may be
    ///     repeated: its method is idempotent, or it has an `Idempotency-Key`.
    ///   - initialDelay: the first delay.
    ///   - multiplier: by how much each further delay is longer.
    ///   - maximumDelay: the longest delay.
    ///   - jitter: the random part of each delay, from 0 to 1.
    ///   - timeLimit: ``timeLimit``.
    public static func exponential(
        maxAttempts: Int = 3, alsoOn statuses: Set<Int> = [], initialDelay: Duration = .milliseconds(200),
        multiplier: Double = 2, maximumDelay: Duration = .seconds(10), jitter: Double = 0.5,
        timeLimit: Duration? = nil
    ) -> RetryPolicy {
        let backoff = Backoff(
            initialDelay: initialDelay, multiplier: multiplier, maximumDelay: maximumDelay, jitter: jitter)
        let rule = UsualRule(backoff: backoff, statuses: statuses)
        var policy = RetryPolicy(maxAttempts: maxAttempts, timeLimit: timeLimit) { rule.decision(on: $0) }
        policy.usualRule = rule
        return policy
    }

    /// Unavailable: names the function.
    @available(
        *, unavailable, message: "write exponential(alsoOn: [500]): 408, 429, 502, 503 and 504 are retried anyway"
    )
    public static func exponential(maxAttempts: Int = 3, on statuses: Set<Int>) -> RetryPolicy { .never }

    /// Unavailable: names the parameter.
    @available(
        *, unavailable, message: "write exponential(alsoOn: [500]): 408, 429, 502, 503 and 504 are retried anyway"
    )
    public static func exponential(maxAttempts: Int = 3, statuses: Set<Int>) -> RetryPolicy { .never }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "constant(_:maxAttempts:)")
    public static func fixed(_ delay: Duration, maxAttempts: Int = 3) -> RetryPolicy { .never }

    /// The same delay every time, unless `Retry-After` asks for a longer one, up to `maximumDelay`. The parameters are
    /// those of ``exponential(maxAttempts:alsoOn:initialDelay:multiplier:maximumDelay:jitter:timeLimit:)``.
    public static func constant(
        _ delay: Duration, maxAttempts: Int = 3, alsoOn statuses: Set<Int> = [],
        maximumDelay: Duration = .seconds(10), timeLimit: Duration? = nil
    ) -> RetryPolicy {
        exponential(
            maxAttempts: maxAttempts, alsoOn: statuses, initialDelay: delay, multiplier: 1,
            maximumDelay: max(delay, maximumDelay), jitter: 0, timeLimit: timeLimit)
    }

    /// The same policy with one more rule, which decides where this policy alone would not send the request again.
    ///
    /// ``maxAttempts`` and ``timeLimit`` remain those of this policy. The rule decides alone, without regard to
    /// ``FailedAttempt/isWorthAnother``: it may send a `POST` twice.
    ///
    /// - Parameter rule: called on any thread.
    public func or(_ rule: @escaping @Sendable (FailedAttempt) -> RetryDecision) -> RetryPolicy {
        var policy = self
        policy.shouldRetry = { [shouldRetry] attempt in
            let decision = shouldRetry(attempt)
            if case .no = decision { return rule(attempt) }
            return decision
        }
        // Where neither sends again, the reasons of this policy are still true.
        policy.usualRule = usualRule
        return policy
    }

    /// The same policy, with no attempt that starts later than a deadline.
    func ending(within deadline: Duration?) -> RetryPolicy {
        var policy = self
        if let deadline, deadline < timeLimit ?? .seconds(Int64.max) {
            policy.timeLimit = deadline
            policy.isDeadline = true
        }
        return policy
    }

    /// The delay before the next attempt; nil where there is none.
    func delay(after attempt: FailedAttempt) -> Duration? {
        if case .sendAgain(let delay) = nextAttempt(after: attempt) { delay } else { nil }
    }

    /// Why a request with such a body isn't sent again.
    static let isReadReason = "its body is a stream, which was read"

    /// What follows an attempt: another one after a delay, or none, with the reason as the end of a sentence.
    enum NextAttempt {
        case sendAgain(after: Duration)
        case end(reason: String)
    }

    /// Decides what follows an attempt.
    ///
    /// - Parameter isLost: whether the request is sent again because its connection was lost, unless a limit of this policy
    ///   prevents it. That of the attempts is for what a server may have processed.
    func nextAttempt(after attempt: FailedAttempt, isLost: Bool = false) -> NextAttempt {
        let isUnprocessed = isLost && attempt.error.transportError?.wasProcessed == .no
        guard attempt.number < maxAttempts || isUnprocessed else {
            return .end(reason: "the policy allows \(maxAttempts == 1 ? "one" : "\(maxAttempts)")")
        }
        guard attempt.request.body.canBeSent else { return .end(reason: Self.isReadReason) }
        let delay: Duration
        switch isLost ? .now : shouldRetry(attempt) {
        case .no: return .end(reason: usualRule?.reason(against: attempt) ?? "the policy's rule allows no other")
        case .now: delay = .zero
        case .after(let wait): delay = wait
        }
        // A sum of `Duration` traps on overflow, and the settings may be anything.
        if let timeLimit, attempt.elapsed / .seconds(1) + delay / .seconds(1) > timeLimit / .seconds(1) {
            guard isDeadline else {
                return .end(reason: "another one after \(delay) would pass the time limit, \(timeLimit)")
            }
            let left = max(0, min(timeLimit / .seconds(1) - attempt.elapsed / .seconds(1), 1e9))
            let time = Duration.milliseconds(Int64(left * 1000))
            return .end(reason: "another one after \(delay) would pass the deadline, which is \(time) away")
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

/// The rule of the predefined policies.
private struct UsualRule: Sendable {
    let backoff: Backoff
    /// The statuses of `alsoOn`.
    let statuses: Set<Int>

    func decision(on attempt: FailedAttempt) -> RetryDecision {
        guard attempt.objection(alsoOn: statuses) == nil, isAllowed(attempt.retryAfter) else { return .no }
        let delay = backoff.delay(after: attempt.number, chance: attempt.chance)
        return .after(max(delay, attempt.retryAfter ?? .zero))
    }

    /// Why no other attempt follows.
    func reason(against attempt: FailedAttempt) -> String? {
        if let objection = attempt.objection(alsoOn: statuses) { return objection }
        return attempt.retryAfter.map {
            "the server's Retry-After is \($0), and maximumDelay is \(backoff.maximumDelay)"
        }
    }

    private func isAllowed(_ retryAfter: Duration?) -> Bool {
        retryAfter.map { $0 <= backoff.maximumDelay } ?? true
    }
}
