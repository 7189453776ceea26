/// An error that says whether access was rejected, so that a new access token may help.
///
/// `HttpError` adopts it and `AccessSafeNode` checks it, so neither module imports the other.
public protocol AccessFailure: Error {
    /// Whether access was rejected.
    var isAccessFailure: Bool { get }
    /// Whether the token is valid but doesn't suffice for the request (status 403), rather than being invalid or
    /// expired (401). Then a new token helps only if the current one is old. False by default.
    var isForbidden: Bool { get }
}

extension AccessFailure {
    /// False: the token is invalid or expired.
    public var isForbidden: Bool { false }
}
