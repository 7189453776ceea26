import AccessSafe
import UrlTransport

/// Sends the store's access token with each request, as `Authorization: Bearer …` (RFC 6750 §2.1). Without a token no
/// header is added.
extension TokenStore: MetadataProvider {
    /// The header with the current access token.
    public func metadata() -> [String: String] {
        accessToken.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    }
}
