/// The method of a request as it was sent, or ``any`` in a route for all methods.
///
/// A string literal is a method too: `server.on("PROPFIND", "/files") { … }`. Methods are case-sensitive (RFC 9110
/// §9.1).
public struct LoopbackMethod: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The method's name, `GET` for instance.
    public let name: String

    /// A method of any name.
    public init(_ name: String) {
        self.name = name
    }

    /// A method written as a literal.
    public init(stringLiteral value: String) {
        name = value
    }

    /// The method's name.
    public var description: String { name }

    /// Stands for every method in a route or a wait; never the method of a request.
    public static let any: LoopbackMethod = "*"
    /// `GET`
    public static let get: LoopbackMethod = "GET"
    /// `HEAD`
    public static let head: LoopbackMethod = "HEAD"
    /// `POST`
    public static let post: LoopbackMethod = "POST"
    /// `PUT`
    public static let put: LoopbackMethod = "PUT"
    /// `PATCH`
    public static let patch: LoopbackMethod = "PATCH"
    /// `DELETE`
    public static let delete: LoopbackMethod = "DELETE"
    /// `OPTIONS`
    public static let options: LoopbackMethod = "OPTIONS"

    /// Whether a request with `method` matches.
    func covers(_ method: LoopbackMethod) -> Bool {
        self == .any || self == method
    }
}
