/// What an application asks of any error that a request can end with, so that one `catch` is enough for most screens:
///
/// ```swift
/// catch let error as any NetChainFailure {
///     show(error.isOffline ? "You are offline" : error.isRetryable ? "Try again later" : "Something went wrong")
/// }
/// ```
///
/// A response that is none of the wanted type is a `DecodingError`, which isn't one of these.
public protocol NetChainFailure: Error {
    /// Whether there is no network.
    var isOffline: Bool { get }
    /// Whether something took longer than it may.
    var isTimeout: Bool { get }
    /// Whether the same request may succeed later.
    var isRetryable: Bool { get }
    /// The status of the response; nil where none came.
    var status: Int? { get }
}

extension NetChainFailure {
    /// False by default.
    public var isOffline: Bool { false }
    /// False by default.
    public var isTimeout: Bool { false }
    /// False by default.
    public var isRetryable: Bool { false }
    /// Nil by default.
    public var status: Int? { nil }
}

extension NodeError: NetChainFailure {}

extension ObserverError: NetChainFailure {}
