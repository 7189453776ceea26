/// Gives headers right before a request is sent: an access token, a request id.
///
/// It is asked for each sending anew, also when a request is sent again after a token refresh. What it gives replaces
/// headers of the same name. An implementation need not be `async`:
///
/// ```swift
/// struct LocaleProvider: MetadataProvider {
///     func metadata() -> [String: String] { ["Accept-Language": "en"] }
/// }
/// ```
public protocol MetadataProvider: Sendable {
    /// The headers for the request that is about to be sent. May be called from any thread, several times at once. What
    /// it throws fails the request, which is then not sent.
    func metadata() async throws -> [String: String]

    /// The headers, if they can be told without waiting; nil otherwise, and then ``metadata()`` is asked.
    ///
    /// It saves a task for each request. Without an implementation it's nil.
    func metadataInPlace() throws -> [String: String]?
}

extension MetadataProvider {
    /// Nil: ``metadata()`` is asked.
    public func metadataInPlace() throws -> [String: String]? {
        nil
    }
}
