import NetChainTestKit

/// Stands in for the API of Docs/AccessSafe.md: it lets `t-2` in only, and gives it for `r-1`.
func startApi() throws -> LoopbackServer {
    let server = try LoopbackServer()
    server.on(.get, "/users/:id") { request in
        guard request.headers["Authorization"] == "Bearer t-2" else { return .status(401) }
        return .json(#"{"id": \#(request.parameters["id"] ?? "0")}"#)
    }
    server.on(.post, "/token") { request in
        guard try request.formItems.contains(where: { $0.name == "refresh_token" && $0.value == "r-1" }) else {
            return .json(#"{"error": "invalid_grant"}"#, status: 400)
        }
        return .json(#"{"access_token": "t-2", "refresh_token": "r-2", "expires_in": 3600}"#)
    }
    return server
}
