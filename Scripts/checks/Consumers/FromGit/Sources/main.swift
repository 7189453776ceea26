import NetChainKit
import NetChainTestKit

struct User: Codable, JsonModel {
    let id: Int
    let name: String
}

struct WrongAnswer: Error {}

// A real request: it shows that a program with Swift linked into it still finds the system's libcurl.
let server = try LoopbackServer()
server.on(.get, "/users/1", respond: .json(#"{"id": 1, "name": "Ada"}"#))
let user: User = try await UrlChainsBuilder().route(.get, server.url("/users/1")).log(to: .silent).build().execute()
guard user.name == "Ada" else { throw WrongAnswer() }
print("\(user)")
