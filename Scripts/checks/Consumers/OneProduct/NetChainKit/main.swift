import NetChainKit

struct User: Codable, JsonModel {
    let id: Int
}

let node: Node<User, User> = UrlChainsBuilder<UserRoute>().build()
print("NetChainKit: \(node.chain.names.count) nodes")

struct UserRoute: UrlRouteProvider {
    func url() throws -> URL { try URL(string: "http://localhost") + "/users" }
}

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
