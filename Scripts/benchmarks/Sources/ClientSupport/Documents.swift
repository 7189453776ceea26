/// The typed model of the small document, which `Scripts/benchmarks/benchmark_server.py` writes.
public struct User: Codable, Sendable {
    /// Where somebody lives.
    public struct Address: Codable, Sendable {
        /// The parts of an address.
        public var street, city, zip: String
    }

    /// The number.
    public var id: Int
    /// Who it is.
    public var name, email: String
    /// Whether the account is in use.
    public var isActive: Bool
    /// A figure.
    public var score: Double
    /// What the user belongs to.
    public var tags: [String]
    /// Where the user lives.
    public var address: Address
    /// Something that is often missing.
    public var manager: Int?
}
