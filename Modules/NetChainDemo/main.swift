import NetChainKit
import NetChainTestKit

struct User: Codable, JsonModel {
    let id: Int
    let name: String
}
enum Route: UrlRouteProvider {
    case user(Int, base: URL)
    func url() throws -> URL {
        switch self { case .user(let id, let base): return try base + "/users/\(id)" }
    }
}
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
let server = try LoopbackServer()
server.on("GET", "/users/:id") { request in .json(#"{"id": 1, "name": "Ann"}"#) }
let node: Node<Void, User> = UrlChainsBuilder<Route>().route(.get, .user(1, base: server.url)).set(query: ["a": [1, 2], "b": true]).build()
print(node.chain)
let user = try await node.execute()
print(user, server.requests.map(\.target))
do { let _: User = try await UrlChainsBuilder<URL>().route(.get, server.url).build().execute() } catch { print(error) }
