import FoundationEssentials
import Models

// The models of the medium document that read and write themselves, and the users of Scripts/benchmark-http.sh.

/// A document of 20 KB, as Scripts/benchmarks/benchmark_server.py writes it.
func usersDocument() throws -> Data {
    try JsonEncoder().encode((1...66).map(userDocument))
}

private func userDocument(_ number: Int) -> Json {
    let zip = String(10_000 + number)
    let address: Json = ["street": Json("\(number) Long Street"), "city": "Springfield", "zip": Json(zip)]
    let tags: [Json] = ["alpha", Json("group-\(number % 7)"), Json("team-\(number % 11)")]
    var user: Json = ["id": Json(number), "name": Json("User number \(number)")]
    user["email"] = Json("user-\(number)@example.com")
    user["isActive"] = Json(number % 3 != 0)
    user["score"] = Json(Double(number * 13 % 1000) + 0.5)
    user["tags"] = Json(tags)
    user["address"] = address
    user["manager"] = number % 4 == 0 ? Json.null : Json(number / 4)
    user["note"] = "A member that the model does not ask for, as answers have them."
    return user
}

struct User: Codable {
    struct Address: Codable {
        let street, city, zip: String
    }

    let id: Int
    let name, email: String
    let isActive: Bool
    let score: Double
    let tags: [String]
    let address: Address
    let manager: Int?
}

enum FastStatus: String, Codable, JsonReadable, JsonWritable {
    case open, paid, shipped, returned
}

struct FastUser: Codable {
    let id: Int
    let name, email: String
    let isActive: Bool
    let score: Double
    let tags: [String]
    let address: FastUserAddress
    let manager: Int?
}

extension FastUser: JsonReadable, JsonWritable {
    init(json: inout JsonInput) throws {
        self.init(
            id: try json["id"], name: try json["name"], email: try json["email"], isActive: try json["isActive"],
            score: try json["score"], tags: try json["tags"], address: try json["address"], manager: try json["manager"]
        )
    }

    func members(to json: inout JsonOutput) {
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

struct FastUserAddress: Codable {
    let street, city, zip: String
}

extension FastUserAddress: JsonReadable, JsonWritable {
    init(json: inout JsonInput) throws {
        self.init(
            street: try json["street"], city: try json["city"], zip: try json["zip"])
    }

    func members(to json: inout JsonOutput) {
        json["street"] = street
        json["city"] = city
        json["zip"] = zip
    }
}

struct FastAddress: Codable {
    let street, city, zip: String
    let latitude, longitude: Double
}

extension FastAddress: JsonReadable, JsonWritable {
    init(json: inout JsonInput) throws {
        self.init(
            street: try json["street"], city: try json["city"], zip: try json["zip"], latitude: try json["latitude"],
            longitude: try json["longitude"])
    }

    func members(to json: inout JsonOutput) {
        json["street"] = street
        json["city"] = city
        json["zip"] = zip
        json["latitude"] = latitude
        json["longitude"] = longitude
    }
}

struct FastCustomer: Codable {
    let id: Int
    let name: String
    let email: String?
    let isPremium: Bool
    let address: FastAddress
}

extension FastCustomer: JsonReadable, JsonWritable {
    init(json: inout JsonInput) throws {
        self.init(
            id: try json["id"], name: try json["name"], email: try json["email"], isPremium: try json["isPremium"],
            address: try json["address"])
    }

    func members(to json: inout JsonOutput) {
        json["id"] = id
        json["name"] = name
        json["email"] = email
        json["isPremium"] = isPremium
        json["address"] = address
    }
}

struct FastItem: Codable {
    let sku, title: String
    let quantity: Int
    let price: Double
    let tags: [String]
    let note: String?
}

extension FastItem: JsonReadable, JsonWritable {
    init(json: inout JsonInput) throws {
        self.init(
            sku: try json["sku"], title: try json["title"], quantity: try json["quantity"], price: try json["price"],
            tags: try json["tags"], note: try json["note"])
    }

    func members(to json: inout JsonOutput) {
        json["sku"] = sku
        json["title"] = title
        json["quantity"] = quantity
        json["price"] = price
        json["tags"] = tags
        json["note"] = note
    }
}

struct FastOrder: Codable {
    let id: UInt64
    let status: FastStatus
    let created: Double
    let customer: FastCustomer
    let items: [FastItem]
    let total: Double
    let attributes: [String: Int]
}

extension FastOrder: JsonReadable, JsonWritable {
    init(json: inout JsonInput) throws {
        self.init(
            id: try json["id"], status: try json["status"], created: try json["created"],
            customer: try json["customer"], items: try json["items"], total: try json["total"],
            attributes: try json["attributes"])
    }

    func members(to json: inout JsonOutput) {
        json["id"] = id
        json["status"] = status
        json["created"] = created
        json["customer"] = customer
        json["items"] = items
        json["total"] = total
        json["attributes"] = attributes
    }
}

struct FastPage: Codable {
    let orders: [FastOrder]
    let next: Int?
    let count: Int
}

extension FastPage: JsonReadable, JsonWritable {
    init(json: inout JsonInput) throws {
        self.init(
            orders: try json["orders"], next: try json["next"], count: try json["count"])
    }

    func members(to json: inout JsonOutput) {
        json["orders"] = orders
        json["next"] = next
        json["count"] = count
    }
}
