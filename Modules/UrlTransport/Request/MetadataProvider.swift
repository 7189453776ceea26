/// Provides headers right before a request is sent, such as an access token or a request id.
///
/// It is called for each sending, also when a request is sent again after a token refresh. Its headers replace those
/// with the same name. An implementation need not be `async`:
///
/// ```swift
/// struct LocaleProvider: MetadataProvider {
///     func metadata() -> [String: String] { ["Accept-Language": "en"] }
/// }
/// ```
public protocol MetadataProvider: Sendable {
    /// Returns the headers for the request that is about to be sent. May be called from any thread, several times at
    /// once. An error that it throws fails the request, which is not sent.
    func metadata() async throws -> [String: String]
}
