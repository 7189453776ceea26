import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The application's model: what its screens and commands work with.
struct User: Equatable {
    let id: Int
    let name: String
    let isAdmin: Bool
}

/// The server's model of a user.
struct UserEntry: Codable, RawMappable {
    typealias Raw = Json

    let id: Int
    let name: String
    let role: String
}

extension User: DTOConvertible {
    static func from(dto: UserEntry) throws -> User {
        User(id: dto.id, name: dto.name, isAdmin: dto.role == "admin")
    }

    func toDTO() throws -> UserEntry {
        UserEntry(id: id, name: name, role: isAdmin ? "admin" : "member")
    }
}

/// One model for both layers, because two would be the same.
struct Login: Codable, JsonModel {
    let email: String
    let password: String
}

/// The demo server's response to a form: what it received.
struct Receipt: Codable, JsonModel {
    let fields: [String: String]
    let files: [String: Int]
}

/// The server's own error model.
struct ApiProblem: Decodable {
    let message: String
}

struct DemoRoute: UrlRouteProvider {
    let base: URL
    let path: String

    func url() throws -> URL {
        try base + path
    }
}
