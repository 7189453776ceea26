/// An error that can tell whether it means that access was refused, so that a fresh access token may help.
///
/// `HttpError` adopts it and `AccessSafeNode` asks it, so neither module knows the other.
public protocol AccessFailure: Error {
    /// Whether access was refused.
    var isAccessFailure: Bool { get }
    /// Whether the token doesn't suffice for the request, as a status 403 says, rather than being invalid or expired, as
    /// a 401 says. Then a new token helps only if the current one is old. False by default.
    var isForbidden: Bool { get }
}

extension AccessFailure {
    /// False by default.
    public var isForbidden: Bool { false }
}
