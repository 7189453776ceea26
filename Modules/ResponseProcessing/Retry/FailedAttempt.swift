public import HttpMessages
import NodeCore

/// An attempt that failed: the input of a ``RetryPolicy``'s rule.
public struct FailedAttempt: Sendable {
    /// The request as it reached ``RetryNode``, with the number of the attempt. What injected headers, metadata providers
    /// and nodes of the attempt change is not in it.
    public let request: HttpRequest
    /// The error of the attempt.
    public let error: any Error
    /// The time since the start of the first attempt.
    public let elapsed: Duration
    /// The least delay that the response asks for with `Retry-After` (RFC 9110 §10.2.3).
    public let retryAfter: Duration?
    /// A random number from 0 to 1, for the jitter of a delay.
    let chance: Double
    /// The number of the attempt, counted from 1. For a resumed download it is counted from the last attempt that
    /// received a part of the file.
    public let number: Int

    init(_ request: HttpRequest, _ error: any Error, number: Int? = nil, elapsed: Duration, chance: Double) {
        self.init(
            request, error, number: number, elapsed: elapsed, retryAfter: (error as? any NetChainFailure)?.retryAfter,
            chance: chance)
    }

    init(
        _ request: HttpRequest, _ error: any Error, number: Int? = nil, elapsed: Duration, retryAfter: Duration?,
        chance: Double
    ) {
        self.number = number ?? request.attempt
        self.request = request
        self.error = error
        self.elapsed = elapsed
        self.retryAfter = retryAfter
        self.chance = chance
    }

    /// The response, if the attempt failed with an ``HttpError``; nil where none came.
    public var response: HttpResponse? { (error as? HttpError)?.response }

    /// Whether a server may get the request twice: its method is idempotent (RFC 9110 §9.2.2), or it has an
    /// `Idempotency-Key`. A key that is added after ``RetryNode``, as by a metadata provider, doesn't count, since it
    /// may be another one each time.
    package var mayBeRepeated: Bool { request.method.mayRepeat(with: request.headers) }

    /// Whether another attempt may help and does no harm. The request failed in transit (no connection, a broken one, a
    /// timeout) or was rejected with 408, 429, 502, 503 or 504. Besides, it may be repeated, or no server has processed it
    /// (`TransportError.wasProcessed`).
    public var isWorthAnother: Bool { objection() == nil }

    /// Why another attempt would not help, or might do harm; nil where neither is so.
    ///
    /// - Parameter statuses: statuses after which another attempt may help, besides the usual ones.
    func objection(alsoOn statuses: Set<Int> = []) -> String? {
        if let error = error as? HttpError {
            guard error.isRetryable || statuses.contains(error.response.status) else {
                return "another one would get status \(error.response.status) again"
            }
            return mayBeRepeated ? nil : "a \(request.method) without an Idempotency-Key is not sent twice"
        }
        guard let error = (error as? TechnicalError)?.cause ?? error as? TransportError else {
            guard let failure = error as? any NetChainFailure, failure.isRetryable else {
                return "another one would fail with the same error"
            }
            return "\(failure.errorType) is neither a failure in transit nor a status"
        }
        guard error.isRetryable, error.code != .deadlinePassed else {
            return "another one would fail with \(error.errorType) again"
        }
        guard !mayBeRepeated, error.wasProcessed != .no else { return nil }
        return "a \(request.method) without an Idempotency-Key is not sent twice, and the server may have processed it"
    }
}
