import NetChainKit

/// What httpbin's /anything tells of a request. A name that came several times has an array of values.
struct Anything: Codable, JsonModel {
    let args: [String: Json]
    let form: [String: Json]
    let files: [String: Json]
    let json: Json?
    let data: String
    let headers: [String: String]
    let method: String
    let url: String
}

/// What nginx's /echo tells of a request.
struct Echo: Codable, JsonModel {
    let method: String
    let uri: String
    let `protocol`: String
    let scheme: String
    let host: String
    let contentType: String
    let contentLength: String
    let authorization: String
    let cookie: String
    let acceptEncoding: String
    let userAgent: String
    let connection: Int
    let connectionRequests: Int
}

/// The application's model of nginx's users.
struct User: Equatable {
    let id: Int
    let name: String
    let tags: Set<String>
    let manager: String?
}

/// nginx's own model of them.
struct UserEntry: Codable, RawMappable {
    typealias Raw = Json

    struct Manager: Codable {
        let id: Int
        let name: String
    }

    let id: Int
    let name: String
    let tags: [String]
    let manager: Manager?
}

extension User: DTODecodable {
    static func from(dto: UserEntry) throws -> User {
        User(id: dto.id, name: dto.name, tags: Set(dto.tags), manager: dto.manager?.name)
    }
}

/// One layer: what a request sends.
struct Login: Codable, JsonModel, Equatable {
    var email = "ada@example.com"
    var password = "a+b & c=d/é🦁"
    var remember = true
    var attempts = 3
}
