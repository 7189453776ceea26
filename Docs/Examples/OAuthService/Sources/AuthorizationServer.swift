import Foundation
import NetChainTestKit
import Synchronization

/// The demo's server: accounts behind a bearer token, and a token endpoint that gives a refresh token once.
final class AuthorizationServer: Sendable {
    private struct State {
        var access = "none"
        var refresh = "refresh-0"
        var refreshes = 0
        var isRevoked = false
    }

    let server: LoopbackServer
    private let state = Mutex(State())

    var refreshes: Int { state.withLock { $0.refreshes } }

    init() throws {
        server = try LoopbackServer()
        // Unowned: the handlers live in the server, which this object owns.
        server.on(.post, "/oauth/token") { [unowned self] request in try self.token(request) }
        server.on(.get, "/accounts/:id") { [unowned self] request in
            guard self.isAuthorized(request) else { return .status(401) }
            return .json(#"{"owner": "Ada \#(request.parameters["id"] ?? "")", "balance": 100}"#)
        }
        server.on(.post, "/accounts/:id/deposits") { [unowned self] request in
            guard self.isAuthorized(request) else { return .status(401) }
            return .json(#"{"owner": "Ada", "balance": 142}"#, status: 201)
        }
    }

    /// Ends the access token.
    func expire() { state.withLock { $0.access = "none" } }

    /// Ends the whole session.
    func revoke() {
        state.withLock { state in
            state.access = "none"
            state.isRevoked = true
        }
    }

    private func isAuthorized(_ request: LoopbackRequest) -> Bool {
        state.withLock { request.headers["Authorization"] == "Bearer \($0.access)" }
    }

    private func token(_ request: LoopbackRequest) throws -> LoopbackResponse {
        let items = try request.formItems
        return state.withLock { state in
            let known = [
                URLQueryItem(name: "grant_type", value: "refresh_token"),
                URLQueryItem(name: "refresh_token", value: state.refresh),
            ]
            guard !state.isRevoked, known.allSatisfy(items.contains) else {
                return .json(#"{"error": "invalid_grant"}"#, status: 400)
            }
            state.refreshes += 1
            state.access = "access-\(state.refreshes)"
            state.refresh = "refresh-\(state.refreshes)"
            return .json(
                #"{"access_token": "\#(state.access)", "refresh_token": "\#(state.refresh)", "token_type": "Bearer"}"#)
        }
    }
}
