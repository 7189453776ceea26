import Logging
public import NodeCore
public import UrlTransport

/// Sends a request that failed again, as its ``RetryPolicy`` says. A cancel also ends a delay that is in progress.
///
/// It stands before `RequestCreatorNode`, so that metadata are asked for each sending anew. The error of the last
/// sending is the error of the request; transport errors tell in which attempt they happened. Behind an
/// `AccessSafeNode` each further sending asks there first: it waits for a token refresh in progress, and ends where the
/// session has ended.
open class RetryNode<Output: Sendable>: Node<TransportUrlRequest, Output>, @unchecked Sendable {  // immutable state
    /// The rest of the chain.
    public let next: Node<TransportUrlRequest, Output>
    private let policy: RetryPolicy
    private let wait: @Sendable (Duration) -> Observer<Void>
    private let chance: @Sendable () -> Double
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Makes the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - policy: when and how often a request is sent again.
    ///   - wait: completes after a time and stops when canceled; a test gives its own.
    ///   - chance: a number from 0 to 1 for the part of a delay that ``RetryPolicy/jitter`` leaves to chance; a test
    ///     gives its own.
    ///   - now: the clock of ``RetryPolicy/timeLimit``; a test gives its own.
    public init(
        next: Node<TransportUrlRequest, Output>, policy: RetryPolicy,
        wait: @escaping @Sendable (Duration) -> Observer<Void> = { .after($0) },
        chance: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.next = next
        self.policy = policy
        self.wait = wait
        self.chance = chance
        self.now = now
    }

    open override func process(_ data: TransportUrlRequest) -> Observer<Output> {
        let start = now()
        return Observer.repeating { [self] round in
            let request = data.sent(times: round)
            return round == 1 ? next.process(request) : Observer.readmitted { self.next.process(request) }
        } pause: { [self] ending, round in
            guard case .failed(let error) = ending else { return nil }
            return pause(after: error, of: data.sent(times: round), since: start)
        }
    }

    /// The delay before the next attempt; nil where there is none.
    private func pause(
        after error: any Error, of request: TransportUrlRequest, since start: ContinuousClock.Instant
    ) -> Observer<Void>? {
        guard policy.isWorthAnother(error, of: request) else { return nil }
        let retryAfter = (error as? HttpError).flatMap { RetryAfter($0.response.headers)?.delay }
        let delay = policy.delay(
            after: request.attempt, retryAfter: retryAfter, elapsed: start.duration(to: now()), random: chance())
        guard let delay else { return nil }
        log(.warning, "attempt \(request.attempt) failed, the next one follows in \(delay): \(error)")
        return wait(delay)
    }
}

extension TransportUrlRequest {
    /// This request, sent for the `count`th time.
    fileprivate func sent(times count: Int) -> TransportUrlRequest {
        var request = self
        request.attempt += count - 1
        return request
    }
}
