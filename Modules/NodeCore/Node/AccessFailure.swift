/// An error that says whether access was rejected, so that a new access token may help.
///
/// `HttpError` adopts it and `AccessSafeNode` checks it, so neither module imports the other.
public protocol AccessFailure: Error {
    /// Whether access was rejected.
    var isAccessFailure: Bool { get }
    /// Whether the token doesn't suffice for the request, as a status 403 says, rather than being invalid or expired, as
    /// a 401 says. Then a new token helps only if the current one is old. False by default.
    var isForbidden: Bool { get }
}

extension AccessFailure {
    /// False: the token is invalid or expired.
    public var isForbidden: Bool { false }
}
