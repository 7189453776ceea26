import Logging
public import NodeCore
public import UrlTransport

/// Sends a request that failed again, as its ``RetryPolicy`` says. A cancel also ends a delay that is in progress.
///
/// It stands before `RequestCreatorNode`, so that metadata are asked for each sending anew. The error of the last
/// sending is the error of the request; transport errors tell in which attempt they happened. Behind an
/// `AccessSafeNode` each further sending asks there first: it waits for a token refresh in progress, and ends where the
/// session has ended.
open class RetryNode<Output: Sendable>: Node<HttpRequest, Output>, @unchecked Sendable {  // immutable state
    /// The rest of the chain.
    public let next: Node<HttpRequest, Output>
    private let policy: RetryPolicy
    private let clock: any ChainClock
    private let chance: @Sendable () -> Double

    /// Makes the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - policy: when and how often a request is sent again.
    ///   - clock: where the delays and ``RetryPolicy/timeLimit`` have their time from.
    ///   - chance: a number from 0 to 1 for the part of a delay that is left to chance; a test gives its own.
    public init(
        next: Node<HttpRequest, Output>, policy: RetryPolicy,
        clock: any ChainClock = .system,
        chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.next = next
        self.policy = policy
        self.clock = clock
        self.chance = chance
    }

    open override func process(_ data: HttpRequest) -> Observer<Output> {
        let start = clock.now
        return Observer.repeating { [self] round in
            let request = data.sent(times: round)
            return round == 1
                ? next.process(request) : Observer.readmitted(data.admissions) { self.next.process(request) }
        } pause: { [self] ending, round in
            guard case .failed(let error) = ending else { return nil }
            return pause(after: error, of: data.sent(times: round), since: start)
        }
    }

    /// The delay before the next attempt; nil where there is none.
    private func pause(
        after error: any Error, of request: HttpRequest, since start: ContinuousClock.Instant
    ) -> Observer<Void>? {
        let failed = FailedAttempt(request, error, elapsed: start.duration(to: clock.now), chance: chance())
        guard let delay = policy.delay(after: failed) else {
            if request.attempt > 1 { log { [attempt = request.attempt] in "attempt \(attempt) is the last one" } }
            return nil
        }
        log(
            .warning, .retry, details: request.details(of: error, delay: delay), retainedBytes: error.retainedBodyBytes
        ) { [attempt = request.attempt] _ in
            "attempt \(attempt) failed, the next one follows in \(delay): \(error)"
        }
        return clock.wait(for: delay)
    }
}

extension HttpRequest {
    fileprivate func details(of error: any Error, delay: Duration) -> Log.Details {
        var details = logDetails
        details.error = error
        details.duration = delay
        return details
    }

    /// This request, sent for the `count`th time.
    fileprivate func sent(times count: Int) -> HttpRequest {
        var request = self
        request.attempt += count - 1
        return request
    }
}
