public import HttpMessages
import Logging
public import NodeCore

/// Sends a request again: at once where its connection was lost before a response and that is safe, and otherwise as its
/// ``RetryPolicy`` decides. A cancel also ends a delay that is in progress. Every default chain has this node.
///
/// What follows a lost connection, where the body can be sent again (RFC 9110 §9.2.2, RFC 9113 §8.7):
///
/// | the server | idempotent method, or `Idempotency-Key` | other method |
/// |---|---|---|
/// | has not processed the request | sent again, up to three times | the same |
/// | may have processed it | sent again once, over a new connection | fails, `wasProcessed` is `.unknown` |
///
/// The limits of a policy hold, too: ``RetryPolicy/maxAttempts`` for what a server may have processed,
/// ``RetryPolicy/timeLimit`` for all. With a policy of one attempt, as ``RetryPolicy/never``, only what no server has
/// processed is sent again.
///
/// - It precedes `RequestCreatorNode`, so that metadata are requested again for each sending.
/// - Each sending counts as an attempt of the policy.
/// - The error of the last sending is the error of the request; transport errors contain the number of their attempt. If
///   the sender was closed meanwhile, the error is that of the last request that was sent.
/// - After an attempt of a resumed download that received a part of the file, the policy counts from 1 again, up to 10,000
///   times; the time limits hold.
/// - After an `AccessSafeNode` each further sending needs its admission: it waits for a token refresh in progress, and
///   fails where the session has ended.
open class RetryNode<Output: Sendable>: AsyncNode<HttpRequest, Output>, @unchecked Sendable {  // immutable state
    package let next: Node<HttpRequest, Output>
    private let policy: RetryPolicy?
    private let clock: any ChainClock
    private let chance: @Sendable () -> Double
    /// The attempts that are not counted if they have progress. Later ones are, so that a server that sends one byte each time
    /// can't cause attempts without end. With 4 MB an attempt that is a file of 40 GB.
    private static var mostUncounted: Int { 10_000 }

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - policy: when and how often a request is sent again; nil for only after a lost connection.
    ///   - clock: the source of time for the delays and ``RetryPolicy/timeLimit``.
    ///   - chance: returns a random number from 0 to 1 for the jitter of a delay; a test passes its own.
    public init(
        next: Node<HttpRequest, Output>, policy: RetryPolicy? = nil,
        clock: any ChainClock = .system,
        chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.next = next
        self.policy = policy
        self.clock = clock
        self.chance = chance
    }

    open override func execute(_ data: HttpRequest) async throws -> Output {
        let (start, timeLeft) = (clock.now, Run.current?.timeLeft?())
        do {
            return try await attempt(data)
        } catch {
            return try await retry(data, after: error, since: start, within: timeLeft)
        }
    }

    private func attempt(_ request: HttpRequest) async throws -> Output {
        request.wait?.attempt = request.attempt
        return try await next.execute(request)
    }

    /// Decides what follows an attempt, from the first one on. A dedicated function, because most requests need none of its
    /// local variables, and would keep them while they wait.
    private func retry(
        _ data: HttpRequest, after firstError: any Error, since start: ContinuousClock.Instant,
        within timeLeft: Duration?
    ) async throws -> Output {
        let policy = policy?.ending(within: timeLeft)
        var (request, error) = (data, firstError)
        // How many attempts preceded the one that is counted as the first.
        var uncounted = 0
        var lostConnections = LostConnections(mayRepeatProcessed: policy?.maxAttempts != 1)
        var lastError: (any Error)?
        // Whether a server may have processed an attempt before the last one.
        var mayBeProcessed = false
        while true {
            if error is CancellationError || request.admissions.haveRejected { throw error }
            // A sender may have sent the request again by itself, after a response that says so.
            request.attempt = max(request.attempt, error.failedAttempt ?? 0)
            if error.hasProgressed, request.attempt < Self.mostUncounted { uncounted = request.attempt - 1 }
            let sendsAtOnce = lostConnections.sendAgain(request, after: error)
            let failed = FailedAttempt(
                request, error, number: request.attempt - uncounted, elapsed: start.duration(to: clock.now),
                chance: chance())
            guard let delay = delay(after: failed, by: policy, sendsAtOnce: sendsAtOnce) else {
                let last = error.isOfClosedSender ? lastError ?? error : error
                throw mayBeProcessed ? last.afterEarlierSending : last
            }
            lastError = error
            mayBeProcessed = mayBeProcessed || error.mayBeProcessed
            if delay > .zero { try await clock.wait(for: delay).value }
            request.options.needsNewConnection = LostConnections.condemns(error)
            request.attempt += 1
            try await request.admissions.readmit()
            do { return try await attempt(request) } catch let later { error = later }
        }
    }

    /// The delay before the next attempt; nil where there is none.
    private func delay(after failed: FailedAttempt, by policy: RetryPolicy?, sendsAtOnce: Bool) -> Duration? {
        let (request, error) = (failed.request, failed.error)
        // Another attempt would find as little.
        if (error as? HttpError)?.response.isUnsatisfied == true { return nil }
        let delay: Duration
        switch nextAttempt(after: failed, by: policy, isLost: sendsAtOnce) {
        case nil: return nil
        case .sendAgain(let wait): delay = wait
        case .end(let reason):
            // An error that another attempt would not change is no news.
            let isNews = request.attempt > 1 || (error as? any NetChainFailure)?.isRetryable == true
            log(isNews ? .info : .debug, .retry, details: request.details(of: error, delay: nil)) {
                [attempt = request.attempt] _ in
                "attempt \(attempt) is the last one: \(reason)"
            }
            return nil
        }
        log(
            .warning, .retry, details: request.details(of: error, delay: delay), retainedBytes: error.retainedBodyBytes
        ) { [attempt = request.attempt] redaction in
            "attempt \(attempt) failed, the next one follows \(delay > .zero ? "in \(delay)" : "at once"): "
                + redaction.text("\(error)")
        }
        return delay
    }

    /// What follows an attempt; nil where nothing had to be decided: without a policy only lost connections are replaced.
    ///
    /// - Parameter isLost: whether the request is to be sent again at once because its connection was lost.
    private func nextAttempt(
        after failed: FailedAttempt, by policy: RetryPolicy?, isLost: Bool
    ) -> RetryPolicy.NextAttempt? {
        if let policy { return policy.nextAttempt(after: failed, isLost: isLost) }
        if isLost { return .sendAgain(after: .zero) }
        guard failed.error.transportError?.hasLostConnection == true || failed.request.attempt > 1 else { return nil }
        guard failed.request.body.canBeSent else { return .end(reason: RetryPolicy.isReadReason) }
        return .end(reason: failed.objection() ?? "there is no retry policy")
    }
}

extension HttpRequest {
    fileprivate func details(of error: any Error, delay: Duration?) -> Log.Details {
        var details = logDetails
        details.error = error
        details.duration = delay
        return details
    }
}

extension Error {
    /// Whether nothing was sent because the sender was closed.
    fileprivate var isOfClosedSender: Bool {
        let transport = transportError
        return transport?.code == .senderClosed && transport?.wasProcessed == .no
    }

    /// Whether the attempt has received a part of a file, which the next one continues.
    fileprivate var hasProgressed: Bool { transportError?.hasProgressed ?? false }

    /// Whether a server may have processed the attempt.
    fileprivate var mayBeProcessed: Bool { !(self is any UnsentRequestError) && transportError?.wasProcessed != .no }

    /// The same error, of a request of which a server may have processed an earlier attempt.
    fileprivate var afterEarlierSending: any Error {
        switch self {
        case let error as TechnicalError: TechnicalError.mapping(error.cause.afterEarlierSending)
        case let error as TransportError: error.afterEarlierSending
        default: self
        }
    }

    /// The number of the sending that failed; nil where the error doesn't contain it.
    fileprivate var failedAttempt: Int? {
        switch self {
        case let error as HttpError: error.response.request.attempt
        case let error as TechnicalError: error.cause.attempt
        case let error as TransportError: error.attempt
        default: nil
        }
    }
}
