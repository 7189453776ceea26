/// What an application needs to know of any error of a request, so that one `catch` is enough for most screens:
///
/// ```swift
/// catch let error as any NetChainFailure {
///     show(error.isOffline ? "You are offline" : error.isRetryable ? "Try again later" : "Something went wrong")
/// }
/// ```
///
/// A response of another type than expected is a `DecodingError`, which isn't one of these.
public protocol NetChainFailure: Error {
    /// Whether there is no network.
    var isOffline: Bool { get }
    /// Whether something exceeded its time limit.
    var isTimeout: Bool { get }
    /// Whether the same request may succeed later.
    var isRetryable: Bool { get }
    /// The status of the response; nil without a response.
    var status: Int? { get }
    /// How long the server asks to wait before the request is sent again (`Retry-After`, RFC 9110 §10.2.3); nil where
    /// it doesn't ask.
    var retryAfter: Duration? { get }
    /// A short name for metrics, such as `connectionRefused` or `404`. It has few values, and nothing of the request.
    var errorType: String { get }
}

extension NetChainFailure {
    /// False: the network isn't known to be missing.
    public var isOffline: Bool { false }
    /// False: no time limit was exceeded.
    public var isTimeout: Bool { false }
    /// False: the same request would fail again.
    public var isRetryable: Bool { false }
    /// Nil: there is no response.
    public var status: Int? { nil }
    /// Nil: no server asks to wait.
    public var retryAfter: Duration? { nil }
    /// The name of the error's type.
    public var errorType: String { "\(Self.self)" }

    /// Unavailable: names the error of a cancellation.
    @available(*, unavailable, message: "a canceled request throws a CancellationError: catch is CancellationError")
    public var isCanceled: Bool { false }

    /// Unavailable: names the error of a cancellation.
    @available(*, unavailable, message: "a canceled request throws a CancellationError: catch is CancellationError")
    public var isCancelled: Bool { false }
}
