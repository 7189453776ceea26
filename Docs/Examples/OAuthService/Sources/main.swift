import NetChainKit
import NetChainTestKit

struct Unexpected: Error {
    let what: String
}

func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Unexpected(what: what) }
    print("✔ \(what)")
}

let authorization = try AuthorizationServer()
let store = TokenStore(TokenPair(accessToken: "access-0", refreshToken: "refresh-0"))
let service = AccountService(base: authorization.server.url, clientId: "demo", store: store)

// The token of the last session has ended: ten requests at once, all of them refused or frozen.
let owners = try await withThrowingTaskGroup(of: String.self) { group in
    for id in 1...10 { group.addTask { try await service.account(id).owner } }
    var owners: Set<String> = []
    for try await owner in group { owners.insert(owner) }
    return owners
}
try expect(owners.count == 10, "ten requests with an expired token, ten answers")
try expect(authorization.refreshes == 1, "one refresh for all of them")
try expect(store.pair?.refreshToken == "refresh-1", "the new refresh token is in the store")

// A request with a body is sent again as it was.
authorization.expire()
let account = try await service.deposit(42, into: 1)
try expect(account.balance == 142 && authorization.refreshes == 2, "a deposit survives an expired token")
let bodies = Set(authorization.server.requests("/accounts/:id/deposits").map(\.text))
try expect(bodies == [#"{"amount":42}"#], "and was sent again with the same body")

// The refresh token has ended as well: time for a login.
authorization.revoke()
do {
    _ = try await service.account(1)
    throw Unexpected(what: "the session should have ended")
} catch let error as AccessSafeError {
    try expect(error.code == .signedOut, "a revoked session ends as signed out")
    try expect((error.cause as? OAuthError)?.error == "invalid_grant", "with the server's reason")
    try expect(store.pair == nil, "and nobody is signed in")
}
