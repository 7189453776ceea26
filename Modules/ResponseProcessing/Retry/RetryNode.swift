public import HttpMessages
import Logging
public import NodeCore

/// Sends a failed request again, as its ``RetryPolicy`` decides. A cancel also ends a delay that is in progress.
///
/// - It precedes `RequestCreatorNode`, so that metadata are requested again for each sending.
/// - The error of the last sending is the error of the request; transport errors contain the number of their attempt. A
///   sending that a sender repeats by itself counts as an attempt. If the sender was closed meanwhile, the error is that
///   of the last request that was sent.
/// - Attempts of a resumed download that receive a part of the file are not counted; the time limits hold.
/// - After an `AccessSafeNode` each further sending needs its admission: it waits for a token refresh in progress, and
///   fails where the session has ended.
open class RetryNode<Output: Sendable>: AsyncNode<HttpRequest, Output>, @unchecked Sendable {  // immutable state
    package let next: Node<HttpRequest, Output>
    private let policy: RetryPolicy
    private let clock: any ChainClock
    private let chance: @Sendable () -> Double
    /// How many attempts with progress are not counted; later ones are, so that a server that sends a byte each time ends
    /// some day. With 4 MB an attempt that is a file of 40 GB.
    private static var mostUncounted: Int { 10_000 }

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - policy: when and how often a request is sent again.
    ///   - clock: the source of time for the delays and ``RetryPolicy/timeLimit``.
    ///   - chance: returns a random number from 0 to 1 for the jitter of a delay; a test passes its own.
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

    open override func execute(_ data: HttpRequest) async throws -> Output {
        let start = clock.now
        // The number of the last sending. A sender may have sent the request again by itself, which the error reports.
        var attempt = data.attempt
        // How many attempts preceded the one that is counted as the first.
        var uncounted = 0
        var lastError: (any Error)?
        while true {
            do {
                return try await next.execute(data.numbered(attempt))
            } catch {
                if error is CancellationError || data.admissions.haveRejected { throw error }
                attempt = max(attempt, error.failedAttempt ?? 0)
                if error.hasProgressed, attempt < Self.mostUncounted { uncounted = attempt - 1 }
                let request = data.numbered(attempt)
                guard let delay = delay(after: error, of: request, number: attempt - uncounted, since: start) else {
                    throw error.isOfClosedSender ? lastError ?? error : error
                }
                lastError = error
                try await clock.wait(for: delay).value
            }
            attempt += 1
            try await data.admissions.readmit()
        }
    }

    /// The delay before the next attempt; nil where there is none.
    private func delay(
        after error: any Error, of request: HttpRequest, number: Int, since start: ContinuousClock.Instant
    ) -> Duration? {
        let elapsed = start.duration(to: clock.now)
        let failed = FailedAttempt(request, error, number: number, elapsed: elapsed, chance: chance())
        let delay: Duration
        switch policy.nextAttempt(after: failed) {
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
            "attempt \(attempt) failed, the next one follows in \(delay): \(redaction.text("\(error)"))"
        }
        return delay
    }
}

extension HttpRequest {
    fileprivate func details(of error: any Error, delay: Duration?) -> Log.Details {
        var details = logDetails
        details.error = error
        details.duration = delay
        return details
    }

    fileprivate func numbered(_ attempt: Int) -> HttpRequest {
        var request = self
        request.attempt = attempt
        return request
    }
}

extension Error {
    /// Whether nothing was sent because the sender was closed.
    fileprivate var isOfClosedSender: Bool {
        let transport = (self as? TechnicalError)?.cause ?? self as? TransportError
        return transport?.code == .senderClosed && transport?.wasProcessed == .no
    }

    /// Whether the attempt has received a part of a file, which the next one continues.
    fileprivate var hasProgressed: Bool {
        ((self as? TechnicalError)?.cause ?? self as? TransportError)?.hasProgressed ?? false
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
