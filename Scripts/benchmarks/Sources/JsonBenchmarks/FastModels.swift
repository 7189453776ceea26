import Models

// The models of the orders that read and write themselves.

enum FastStatus: String, Codable, JsonReadable, JsonWritable {
    case open, paid, shipped, returned
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
