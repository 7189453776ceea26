import Models

/// The model `User` that reads and writes itself (Docs/FastModels.md).
package struct FastUser: Codable, Sendable {
    package struct Address: Codable, Sendable {
        package let street, city, zip: String
    }

    package let id: Int
    package let name, email: String
    package let isActive: Bool
    package let score: Double
    package let tags: [String]
    package let address: Address
    package let manager: Int?
}

extension FastUser: JsonReadable, JsonWritable {
    package init(json: inout JsonInput) throws {
        self.init(
            id: try json["id"], name: try json["name"], email: try json["email"], isActive: try json["isActive"],
            score: try json["score"], tags: try json["tags"], address: try json["address"], manager: try json["manager"]
        )
    }

    package func members(to json: inout JsonOutput) {
        json["id"] = id
        json["name"] = name
        json["email"] = email
        json["isActive"] = isActive
        json["score"] = score
        json["tags"] = tags
        json["address"] = address
        json["manager"] = manager
    }
}

extension FastUser.Address: JsonReadable, JsonWritable {
    package init(json: inout JsonInput) throws {
        self.init(street: try json["street"], city: try json["city"], zip: try json["zip"])
    }

    package func members(to json: inout JsonOutput) {
        json["street"] = street
        json["city"] = city
        json["zip"] = zip
    }
}
