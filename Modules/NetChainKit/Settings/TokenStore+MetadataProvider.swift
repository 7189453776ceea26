import AccessSafe
import UrlTransport

/// A token store gives each request its access token (RFC 6750 §2.1): `Authorization: Bearer …`; nothing while there is
/// none.
extension TokenStore: MetadataProvider {
    /// The header with the current access token.
    public func metadata() -> [String: String] {
        accessToken.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    }

    /// The header with the current access token.
    public func metadataInPlace() -> [String: String]? {
        metadata()
    }
}
