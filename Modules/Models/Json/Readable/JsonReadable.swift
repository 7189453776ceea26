/// A type that reads itself from JSON, about twice as fast as a `Decodable` one.
///
/// ```swift
/// extension Account: JsonReadable {
///     init(json: inout JsonInput) throws {
///         self.init(id: try json["id"], name: try json["name"], tags: try json["tags", default: []])
///     }
/// }
/// ```
///
/// - A type that is `Decodable` too is read this way by ``JsonDecoder``, and so by every request. It may be the whole
///   value, in an array, a dictionary or an optional, or a member of a `Decodable` type. Other decoders use its
///   `init(from:)`. Requests require `Decodable`: a type that is readable only is read by ``JsonDecoder`` alone.
/// - Values, errors and coding paths are those of the synthesized `Decodable` conformance. But the keys in an error are
///   not of the type's `CodingKeys`, and the decoder's key strategy isn't applied.
/// - A class is `final`, or each subclass with members of its own overrides the initializer. A subclass that overrides
///   `init(from:)` alone is read without its members.
/// - An enum whose raw values are readable needs the name of the protocol only; one with a case for unknown values also
///   writes the initializer.
/// - The library's readable types are the standard library's numbers, `Bool`, `String`, `Optional`, `Array`, `Set` and
///   `Dictionary`; `Date`, `Data`, `Decimal`, `URL`, `UUID`; and ``Json``.
public protocol JsonReadable {
    /// Reads a value.
    ///
    /// Members that are read in the document's order are found at once, others are searched. Of members with the same
    /// key the last one counts. If one of them has been read that doesn't, the whole value that the decoder reads is read
    /// once more. So this initializer should have no side effects.
    ///
    /// The memberwise initializer, with all members as arguments, is faster than assigning them one by one.
    ///
    /// - Throws: the errors of `json`, usually `DecodingError`, or the type's own, which are rethrown unchanged.
    init(json: inout JsonInput) throws

    /// Not for applications. Reads the member with this key.
    static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Self

    /// Not for applications. Reads the value at a place.
    static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Self

    /// Not for applications. Reads an array of values. A requirement, so that each type has a specialized one.
    static func _array(of json: inout JsonInput) throws -> [Self]
}

extension JsonReadable {
    /// Not for applications.
    @inlinable
    public static func _member(_ key: UnsafeBufferPointer<UInt8>, of json: inout JsonInput) throws -> Self {
        try _value(at: json.required(key), of: &json)
    }

    /// Not for applications.
    @inlinable
    public static func _value(at place: JsonInput._Place, of json: inout JsonInput) throws -> Self {
        var child = json.child(at: place)
        do {
            let value = try Self(json: &child)
            if child.isUnsettled(within: json) { child.settle(within: json) }
            return value
        } catch {
            child.fail(within: &json)
            throw error
        }
    }

    /// Not for applications.
    public static func _array(of json: inout JsonInput) throws -> [Self] {
        // Not inlinable: code for the arrays of each type makes models slow to compile.
        try json.elements { try _value(at: JsonInput._Place($1), of: &$0) }
    }
}

extension JsonReadable where Self: RawRepresentable, RawValue: JsonReadable {
    /// Reads the raw value.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the type has no such value.
    @inlinable
    public init(json: inout JsonInput) throws {
        let raw = try RawValue(json: &json)
        guard let value = Self(rawValue: raw) else { throw json.invalid(raw, Self.self) }
        self = value
    }
}
