/// An error that can tell whether it means that access was refused, so that a fresh access token may help.
///
/// `HttpError` adopts it and `AccessSafeNode` asks it, so neither module knows the other.
public protocol AccessFailure: Error {
    /// Whether access was refused.
    var isAccessFailure: Bool { get }
}
