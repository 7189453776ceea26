/// The typed model of the small document, which `Scripts/benchmarks/benchmark_server.py` writes.
package struct User: Codable, Sendable {
    package struct Address: Codable, Sendable {
        package var street, city, zip: String
    }

    package var id: Int
    package var name, email: String
    package var isActive: Bool
    package var score: Double
    package var tags: [String]
    package var address: Address
    package var manager: Int?
}
