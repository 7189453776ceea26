import Foundation
import NetChainKit

struct Account: Codable, JsonModel {
    let owner: String
    let balance: Int
}

/// The body of the refresh request: RFC 6749, section 6.
struct RefreshForm: JsonEncodableModel {
    let grantType = "refresh_token"
    let refreshToken: String
    let clientId: String

    enum CodingKeys: String, CodingKey {
        case grantType = "grant_type"
        case refreshToken = "refresh_token"
        case clientId = "client_id"
    }
}

/// Its answer: RFC 6749, section 5.1.
struct TokenAnswer: JsonDecodableModel {
    let accessToken: String
    let refreshToken: String?
    let expiresIn: Int?

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
    }
}

/// Its refusal: RFC 6749, section 5.2.
struct OAuthError: Error, Decodable {
    let error: String
}

/// Accounts behind access tokens. A caller never meets an expired token: one refresh serves all requests that are
/// refused, and each of them is sent again.
struct AccountService: Sendable {
    let base: URL
    let store: TokenStore
    private let refresher: TokenRefresherNode

    /// - Parameter store: the session's tokens. Its `onChange` is the place to keep them.
    init(base: URL, clientId: String, store: TokenStore) throws {
        self.base = base
        self.store = store
        // No `.accessSafe` here: the refresh must not wait for itself.
        let tokens: Node<RefreshForm, TokenAnswer> = UrlChainsBuilder<URL>()
            .route(.post, try base + "/oauth/token")
            .encode(as: .formUrl)
            .log(to: .silent)
            .build()
        refresher = TokenRefresherNode(store: store) { old in
            do {
                let form = RefreshForm(refreshToken: old.refreshToken ?? "", clientId: clientId)
                let answer = try await tokens.execute(form)
                return TokenPair(
                    accessToken: answer.accessToken, refreshToken: answer.refreshToken,
                    expiresIn: answer.expiresIn.map { .seconds($0) })
            } catch let error as HttpError {
                // The refresh token has ended: so has the session, and another try would change nothing.
                if let reason = try? error.decodeBody(as: OAuthError.self), reason.error == "invalid_grant" {
                    store.clear(cause: reason)
                }
                throw error
            }
        }
    }

    func account(_ id: Int) async throws -> Account {
        try await request(.get, "/accounts/\(id)").build().execute()
    }

    func deposit(_ amount: Int, into id: Int) async throws -> Account {
        try await request(.post, "/accounts/\(id)/deposits").build().execute(["amount": Json(amount)] as Json)
    }

    private func request(_ method: HttpMethod, _ path: String) throws -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>()
            .route(method, try base + path)
            // By RFC 6750 a new token helps against 401 only.
            .accessSafe(refresher) { error in if case HttpError.unauthorized = error { true } else { false } }
            .add(provider: store)
            .log(to: .silent)
    }
}
