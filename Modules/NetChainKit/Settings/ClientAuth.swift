public import AccessSafe
import NodeCore
import ResponseProcessing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The credentials that requests send to a server.
///
/// A client sends them to the origin of its base URL only.
public struct ClientAuth: Sendable {
    let provider: any MetadataProvider
    let safety: AccessSafety?
    /// The name of a header that the application chose, which must be masked; nil for `Authorization`.
    var header: String?

    /// The access token of a store as `Authorization: Bearer …` (RFC 6750).
    ///
    /// - Parameters:
    ///   - tokens: the store of the token, which is read for each attempt.
    ///   - refresher: gets a new token, once for all requests that wait for it; one for all clients with these tokens.
    ///     Without it tokens are not refreshed.
    ///   - statuses: which statuses mean that the token has expired.
    public static func bearer(
        _ tokens: TokenStore, refreshedBy refresher: TokenRefresherNode? = nil, on statuses: Set<Int> = [401]
    ) -> ClientAuth {
        guard let refresher else {
            return ClientAuth(provider: tokens, safety: AccessSafety(refresher: tokens.sessionGate) { _ in false })
        }
        let safety = AccessSafety(refresher: refresher) { error in
            (error as? HttpError).map { statuses.contains($0.response.status) } ?? false
        }
        return ClientAuth(provider: tokens, safety: safety)
    }

    /// A fixed token as `Authorization: Bearer …` (RFC 6750).
    public static func bearer(_ token: String) -> ClientAuth {
        ClientAuth(provider: FixedHeader(name: "Authorization", value: "Bearer \(token)"), safety: nil)
    }

    /// A name and a password as `Authorization: Basic …` (RFC 7617), in UTF-8.
    public static func basic(user: String, password: String) -> ClientAuth {
        let text = Data("\(user):\(password)".utf8).base64EncodedString()
        return ClientAuth(provider: FixedHeader(name: "Authorization", value: "Basic \(text)"), safety: nil)
    }

    /// A header with a fixed value, such as an API key.
    public static func header(_ name: String, _ value: String) -> ClientAuth {
        ClientAuth(provider: FixedHeader(name: name, value: value), safety: nil, header: name)
    }
}

private struct FixedHeader: MetadataProvider {
    let name: String
    let value: String

    func metadata() -> [String: String] { [name: value] }
    func metadataInPlace() -> [String: String]? { metadata() }
}

extension ClientAuth: MaskedValue {
    /// The name of the type; no values.
    public var description: String { "ClientAuth" }
}

struct AccessSafety: Sendable {
    let refresher: TokenRefresherNode
    let isAccessFailure: (@Sendable (any Error) -> Bool)?

    func node<Output>(next: Node<HttpRequest, Output>) -> Node<HttpRequest, Output> {
        if let isAccessFailure {
            AccessSafeNode(next: next, updateTokenChain: refresher, isAccessFailure: isAccessFailure)
        } else {
            AccessSafeNode(next: next, updateTokenChain: refresher)
        }
    }
}
