import FoundationEssentials
import Models

/// The documents that are measured: an order of a shop, alone, in a page and in a large export.

enum Status: String, Codable {
    case open, paid, shipped, returned
}

struct Address: Codable {
    let street: String
    let city: String
    let zip: String
    let latitude: Double
    let longitude: Double
}

struct Customer: Codable {
    let id: Int
    let name: String
    let email: String?
    let isPremium: Bool
    let address: Address
}

struct Item: Codable {
    let sku: String
    let title: String
    let quantity: Int
    let price: Double
    let tags: [String]
    let note: String?
}

struct Order: Codable {
    let id: UInt64
    let status: Status
    let created: Double
    let customer: Customer
    let items: [Item]
    let total: Double
    let attributes: [String: Int]
}

struct Page: Codable {
    let orders: [Order]
    let next: Int?
    let count: Int
}

struct Small: Codable {
    let id: Int
    let name: String
    let email: String?
    let isPremium: Bool
    let address: Address
    let tags: [String]
    let score: Double
}

/// Makes the documents: always the same ones, so that two runs can be compared.
struct Sample {
    private var state: UInt64 = 42

    mutating func number(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    mutating func pick(_ words: [String]) -> String { words[number(below: words.count)] }

    mutating func words(_ count: Int) -> String {
        let all = [
            "red", "lamp", "table", "Größe", "wooden", "\"special\"", "winter", "стул", "with", "glass", "and", "steel",
            "portable", "line\nbreak", "24/7", "classic", "edition", "for", "children",
        ]
        return (0..<count).map { _ in pick(all) }.joined(separator: " ")
    }

    mutating func address() -> Address {
        Address(
            street: words(2) + " \(number(below: 200))", city: pick(["Kazan", "Berlin", "Lisboa", "Lyon"]),
            zip: "\(10_000 + number(below: 80_000))", latitude: Double(number(below: 180_000_000)) / 1e6 - 90,
            longitude: Double(number(below: 360_000_000)) / 1e6 - 180)
    }

    mutating func customer() -> Customer {
        Customer(
            id: number(below: 10_000_000),
            name: pick(["Ada", "Grace", "Анна", "Zoë"]) + " " + pick(["Smith", "Иванова"]),
            email: number(below: 4) == 0 ? nil : "user\(number(below: 9999))@example.com",
            isPremium: number(below: 2) == 0, address: address())
    }

    mutating func item() -> Item {
        Item(
            sku: "SKU-\(number(below: 1_000_000))", title: words(4), quantity: 1 + number(below: 9),
            price: Double(number(below: 100_000)) / 100, tags: (0..<number(below: 4)).map { _ in words(1) },
            note: number(below: 3) == 0 ? words(12) : nil)
    }

    mutating func order() -> Order {
        let items = (0..<1 + number(below: 4)).map { _ in item() }
        return Order(
            id: UInt64(number(below: 1 << 30)) << 20, status: [.open, .paid, .shipped, .returned][number(below: 4)],
            created: 1_700_000_000 + Double(number(below: 10_000_000)) / 1000, customer: customer(), items: items,
            total: items.reduce(0) { $0 + $1.price },
            attributes: ["weight": number(below: 900), "boxes": number(below: 5)])
    }

    mutating func small() -> Small {
        Small(
            id: 1_234_567, name: "Ada Lovelace", email: "ada@example.com", isPremium: true, address: address(),
            tags: ["math", "engine", "poetry"], score: 98.25)
    }

    /// A page of about this many bytes of JSON.
    mutating func page(bytes: Int) throws -> Page {
        var orders: [Order] = []
        var size = 0
        while size < bytes {
            let order = order()
            size += try JsonEncoder().encode(order).count
            orders.append(order)
        }
        return Page(orders: orders, next: 2, count: orders.count)
    }
}
