// What the compiler says in a module that defaults to the main actor about a model that isn't nonisolated.
//
// `Scripts/check.sh messages` type-checks this file, and fails on any other message.

import NetChainKit

struct User: Codable {
    let name: String
}

nonisolated struct Draft: Codable {
    let name: String
}

func results(_ api: ApiClient) async throws {
    _ = try await api.get("users/1").send(as: User.self)  // warning: nonisolated struct User: Codable, Sendable
    let user: User = try await api.get("users/1").send()  // warning: nonisolated struct User: Codable, Sendable
    let users: [User] = try await api.get("users").send()  // warning: nonisolated struct User: Codable, Sendable
    _ = (user, users)

    // No overload reaches these: their types require Sendable themselves. The pages name this text.
    let response: ApiResponse<User> = try await api.get("a").send()  // error: cannot satisfy conformance requirement
    api.get("users/1").process(as: User.self)  // error: cannot satisfy conformance requirement
    let chain = api.get("users/1").chain(as: User.self)  // error: cannot satisfy conformance requirement
    try await api.post("users").body(User(name: "Ada")).send()  // error: cannot satisfy conformance requirement
    _ = (response, chain)

    let draft: Draft = try await api.post("drafts").body(Draft(name: "a")).send()
    let drafts = try await api.get("drafts").send(as: ApiResponse<[Draft]>.self)
    api.get("drafts/1").process(as: Draft.self).onCompleted { print($0.name) }
    _ = (draft, drafts)
}
