/// A model of the application.
public struct User: Codable, Sendable {
    /// The name.
    public let name: String

    /// Makes it.
    public init(name: String) {
        self.name = name
    }
}
