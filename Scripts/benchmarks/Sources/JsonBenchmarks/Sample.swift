import FoundationEssentials
import Models

/// A document of 20 KB, as Scripts/benchmarks/benchmark_server.py writes it.
func usersDocument() -> Data {
    let users = (1...66).map { number in
        """
        {"id":\(number),"name":"User number \(number)","email":"user-\(number)@example.com",\
        "isActive":\(number % 3 != 0),"score":\(Double(number * 13 % 1000) + 0.5),\
        "tags":["alpha","group-\(number % 7)","team-\(number % 11)"],\
        "address":{"street":"\(number) Long Street","city":"Springfield","zip":"\(10_000 + number)"},\
        "manager":\(number % 4 == 0 ? "null" : "\(number / 4)"),\
        "note":"A member that the model does not ask for, as responses have them."}
        """
    }
    return Data("[\(users.joined(separator: ","))]".utf8)
}

enum Status: String, Codable {
    case open, paid, shipped, returned
}

struct Address: Codable {
    let street, city, zip: String
    let latitude, longitude: Double
}

struct Customer: Codable {
    let id: Int
    let name: String
    let email: String?
    let isPremium: Bool
    let address: Address
}

struct Item: Codable {
    let sku, title: String
    let quantity: Int
    let price: Double
    let tags: [String]
    let note: String?
}

/// An order of a shop.
struct Order: Codable {
    let id: UInt64
    let status: Status
    let created: Double
    let customer: Customer
    let items: [Item]
    let total: Double
    let attributes: [String: Int]
}

/// Makes orders: always the same ones, so that two runs can be compared.
struct Sample {
    private var state: UInt64 = 42

    private mutating func number(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }

    private mutating func pick(_ words: [String]) -> String { words[number(below: words.count)] }

    private mutating func words(_ count: Int) -> String {
        let all = [
            "red", "lamp", "table", "Größe", "wooden", "\"special\"", "winter", "стул", "with", "glass", "and", "steel",
            "portable", "line\nbreak", "24/7", "classic", "edition", "for", "children",
        ]
        return (0..<count).map { _ in pick(all) }.joined(separator: " ")
    }

    private mutating func address() -> Address {
        Address(
            street: words(2) + " \(number(below: 200))", city: pick(["Kazan", "Berlin", "Lisboa", "Lyon"]),
            zip: "\(10_000 + number(below: 80_000))", latitude: Double(number(below: 180_000_000)) / 1e6 - 90,
            longitude: Double(number(below: 360_000_000)) / 1e6 - 180)
    }

    private mutating func customer() -> Customer {
        Customer(
            id: number(below: 10_000_000),
            name: pick(["Ada", "Grace", "Анна", "Zoë"]) + " " + pick(["Smith", "Иванова"]),
            email: number(below: 4) == 0 ? nil : "user\(number(below: 9999))@example.com",
            isPremium: number(below: 2) == 0, address: address())
    }

    private mutating func item() -> Item {
        Item(
            sku: "SKU-\(number(below: 1_000_000))", title: words(4), quantity: 1 + number(below: 9),
            price: Double(number(below: 100_000)) / 100, tags: (0..<number(below: 4)).map { _ in words(1) },
            note: number(below: 3) == 0 ? words(12) : nil)
    }

    private mutating func order() -> Order {
        let items = (0..<1 + number(below: 4)).map { _ in item() }
        return Order(
            id: UInt64(number(below: 1 << 30)) << 20, status: [.open, .paid, .shipped, .returned][number(below: 4)],
            created: 1_700_000_000 + Double(number(below: 10_000_000)) / 1000, customer: customer(), items: items,
            total: items.reduce(0) { $0 + $1.price },
            attributes: ["weight": number(below: 900), "boxes": number(below: 5)])
    }

    /// Orders of about this many bytes of JSON.
    mutating func orders(bytes: Int) throws -> [Order] {
        var orders: [Order] = []
        var size = 0
        while size < bytes {
            let order = order()
            size += try JsonEncoder().encode(order).count
            orders.append(order)
        }
        return orders
    }
}
