public import AccessSafe
public import HttpMessages
import Logging
public import NodeCore
import ResponseProcessing
import UrlTransport

/// The credentials that requests send to a server.
///
/// A client sends them to the origin of its base URL only.
public struct ClientAuth: Sendable {
    var provider: (any MetadataProvider)?
    var safety: AccessSafety?
    var challenges: ChallengeStore?
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

    /// An access token of the client itself, without a user, as `Authorization: Bearer …`: for client credentials
    /// (RFC 6749 §4.4).
    ///
    /// ```swift
    /// $0.auth = .token { _ in
    ///     let grant: Grant = try await login.post("token").form(["grant_type": "client_credentials"]).send()
    ///     return TokenPair(accessToken: grant.accessToken, expiresIn: .seconds(grant.expiresIn))
    /// }
    /// ```
    ///
    /// `fetch` is called for the first request, 30 seconds before the token expires and after a rejection: once for all
    /// requests that wait for it. They fail with an error that it throws, and the next request calls it again. All
    /// copies of this value share the token.
    ///
    /// - Parameters:
    ///   - limits: how often `fetch` may run, and for how long: see `RefreshLimits`.
    ///   - statuses: which statuses mean that the token has expired.
    ///   - fetch: returns a new pair; its parameter is the last one, nil at first. Each call runs in a task of its own,
    ///     on the concurrent executor. Its requests must not have this value as their `auth`.
    public static func token(
        limits: RefreshLimits = RefreshLimits(), on statuses: Set<Int> = [401],
        _ fetch: @escaping @Sendable (_ old: TokenPair?) async throws -> TokenPair
    ) -> ClientAuth {
        token(in: TokenStore(), limits: limits, on: statuses, fetch)
    }

    /// The same with a store, which may have a test's clock.
    package static func token(
        in tokens: TokenStore, limits: RefreshLimits = RefreshLimits(), on statuses: Set<Int> = [401],
        _ fetch: @escaping @Sendable (TokenPair?) async throws -> TokenPair
    ) -> ClientAuth {
        let refresher = TokenRefresherNode(fetchingFor: tokens, limits: limits, fetch: fetch)
        return bearer(tokens, refreshedBy: refresher, on: statuses)
    }

    /// A fixed token as `Authorization: Bearer …` (RFC 6750).
    public static func bearer(_ token: String) -> ClientAuth {
        ClientAuth(provider: FixedHeader(name: "Authorization", value: "Bearer \(token)"))
    }

    /// A name and a password as `Authorization: Basic …` (RFC 7617), in UTF-8.
    public static func basic(user: String, password: String) -> ClientAuth {
        let text = AuthCredentials.basicHeader(user: user, password: password)
        return ClientAuth(provider: FixedHeader(name: "Authorization", value: text))
    }

    /// A header with a fixed value, such as an API key.
    public static func header(_ name: String, _ value: String) -> ClientAuth {
        ClientAuth(provider: FixedHeader(name: name, value: value), header: name)
    }

    /// Credentials that depend on the server's challenge (RFC 9110 §11.6), such as the realm and the scope that a
    /// container registry names.
    ///
    /// ```swift
    /// $0.auth = .challenge { challenge in
    ///     guard challenge.scheme == "Bearer", let realm = challenge["realm"],
    ///         realm.hasPrefix("https://auth.example.com/")  // the server chose it
    ///     else { return nil }
    ///     let grant: Grant = try await ApiClient(realm).auth(.basic(user: user, password: password))
    ///         .get("").query("scope", challenge["scope"]).send()
    ///     return .bearer(grant.accessToken)
    /// }
    /// ```
    ///
    /// At a 401, `answer` is called with each challenge of the response, in order, until it returns credentials. The
    /// request is then sent once again with them. If it returns nil for all, the 401 stands.
    ///
    /// - The credentials are kept by origin, scheme, realm, service and scope. There is one call for all requests that
    ///   wait for the same ones; they fail with an error that it throws, and the next 401 calls it again.
    /// - A later request is sent with the credentials that last served one at the same path up to its last slash.
    /// - Rejected credentials cause another call. A 401 for the same ones, or for those that the request has waited for,
    ///   stands.
    /// - The challenges of another origin, after a redirect, are not answered.
    /// - A stream as the body can't be sent twice: the 401 stands.
    /// - All copies of this value share the credentials.
    ///
    /// - Parameters:
    ///   - limits: how often `answer` may run for the same credentials, and for how long: see `RefreshLimits`. At the
    ///     limit the 401 stands.
    ///   - answer: returns the credentials for a challenge, or nil. Each call runs in a task of its own, on the
    ///     concurrent executor. Challenges to its own requests through this client are not answered.
    public static func challenge(
        limits: RefreshLimits = RefreshLimits(),
        _ answer: @escaping @Sendable (_ challenge: AuthChallenge) async throws -> AuthCredentials?
    ) -> ClientAuth {
        ClientAuth(challenges: ChallengeStore(limits: limits, answer: answer))
    }

    /// A name and a password for servers with Digest challenges (RFC 7616). No other challenge is answered, so that the
    /// password is never sent.
    ///
    /// The first request meets a challenge and is sent again. A later one is sent once, if it is at the same path up to
    /// its last slash. See ``AuthCredentials/digest(user:password:)`` for what is supported, and
    /// ``challenge(limits:_:)`` for the rest.
    public static func digest(user: String, password: String) -> ClientAuth {
        let credentials = AuthCredentials.digest(user: user, password: password)
        return ClientAuth(
            challenges: ChallengeStore(limits: RefreshLimits(), isAnswerable: { DigestChallenge($0) != nil }) { _ in
                credentials
            })
    }
}

private struct FixedHeader: MetadataProvider, MaskedValue {
    let name: String
    let value: String
    var description: String { "\(name): \(Redaction.mask)" }

    func metadata() -> [String: String] { [name: value] }
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
