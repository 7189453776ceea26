import Foundation
import NetChainKit

struct Account: Codable {
    let owner: String
    let balance: Int
}

/// The response to a refresh: RFC 6749, section 5.1.
struct TokenResponse: Decodable {
    let accessToken: String
    let refreshToken: String?
    let expiresIn: Int?
}

/// The error response to a refresh: RFC 6749, section 5.2.
struct OAuthError: Error, Decodable {
    let error: String
}

/// Accounts that need access tokens. Callers see no expired token: one refresh serves all rejected requests, and each of
/// them is sent again.
struct AccountService: Sendable {
    let api: ApiClient

    /// - Parameter store: the session's tokens. Its `onChange` is the place to save them.
    init(base: URL, clientId: String, store: TokenStore) {
        // Without `auth`: the refresh must not wait for itself.
        let plain = ApiClient(base) {
            $0.json.keys = .snakeCase
            $0.log.sink = .silent
        }
        let refresher = TokenRefresherNode(store: store) { old in
            do {
                // The body of the refresh request: RFC 6749, section 6.
                let response: TokenResponse = try await plain.post("oauth/token")
                    .form([
                        "grant_type": "refresh_token", "refresh_token": old.refreshToken ?? "", "client_id": clientId,
                    ])
                    .send()
                return TokenPair(
                    accessToken: response.accessToken, refreshToken: response.refreshToken,
                    expiresIn: response.expiresIn.map { .seconds($0) })
            } catch let error as HttpError {
                // The refresh token has expired. So has the session, and another attempt would change nothing.
                if let reason = try? error.decodeBody(as: OAuthError.self), reason.error == "invalid_grant" {
                    store.clear(cause: reason)
                }
                throw error
            }
        }
        // A new token helps against 401 only (RFC 6750), which is the default of `bearer`.
        api = plain.auth(.bearer(store, refreshedBy: refresher))
    }

    func account(_ id: Int) async throws -> Account {
        try await api.get("accounts/\(id)").send()
    }

    func deposit(_ amount: Int, into id: Int) async throws -> Account {
        try await api.post("accounts/\(id)/deposits").body(["amount": amount]).send()
    }
}
