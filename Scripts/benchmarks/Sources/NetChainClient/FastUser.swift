import NetChainKit

/// The model `User` that reads itself (Docs/FastModels.md).
struct FastUser: Decodable, Sendable {
    struct Address: Decodable, Sendable {
        var street, city, zip: String
    }

    var id: Int
    var name, email: String
    var isActive: Bool
    var score: Double
    var tags: [String]
    var address: Address
    var manager: Int?
}

extension FastUser: JsonReadable {
    init(json: inout JsonInput) throws {
        self.init(
            id: try json["id"], name: try json["name"], email: try json["email"], isActive: try json["isActive"],
            score: try json["score"], tags: try json["tags"], address: try json["address"], manager: try json["manager"]
        )
    }
}

extension FastUser.Address: JsonReadable {
    init(json: inout JsonInput) throws {
        self.init(street: try json["street"], city: try json["city"], zip: try json["zip"])
    }
}
