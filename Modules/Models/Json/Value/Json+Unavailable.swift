#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Members that other libraries have here. The compiler says in a sentence what to write.

extension Json {
    /// Unavailable: names the initializer.
    @available(*, unavailable, message: "write try Json(parsing: data)")
    public init(_ data: Data) { self.init() }

    /// Unavailable: names the initializer.
    @available(*, unavailable, message: "write try Json(parsing: data)")
    public static func parse(_ data: Data) -> Json { Json() }

    /// Unavailable: names the initializer.
    @available(*, unavailable, message: "write try Json(encoding: value)")
    @_disfavoredOverload
    public init(_ value: some Encodable) { self.init() }

    /// Unavailable: values of type `Any` have no form in JSON.
    @available(
        *, unavailable, message: "values of type Any have no form in JSON: write try Json(encoding: [name: value])"
    )
    @_disfavoredOverload
    public init(_ members: [String: Any]) { self.init() }

    /// Unavailable: names the sequence.
    @available(*, unavailable, message: "write json.members.map(\\.key)")
    public var keys: [String] { members.map(\.key) }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write json.integer(Int64.self)")
    public var int64: Int64? { integer() }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "string")
    public var stringValue: String? { string }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "int")
    public var intValue: Int? { int }

    /// Unavailable: names the function.
    @available(
        *, unavailable,
        message: "write String(decoding: json.serialized([.prettyPrinted, .sortedKeys]), as: UTF8.self)"
    )
    public var prettyPrinted: String { description }
}
