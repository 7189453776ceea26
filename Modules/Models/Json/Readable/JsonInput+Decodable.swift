extension JsonInput {
    /// The member with this key, of a type that is `Decodable` only:
    ///
    /// ```swift
    /// details = try json.decode("details")
    /// ```
    ///
    /// The type is decoded with the strategies of the decoder that reads the whole value, its key strategy included.
    ///
    /// - Throws: `DecodingError`, with the coding path; the errors of the type's `init(from:)`.
    public mutating func decode<Value: Decodable>(
        _ key: StaticString, as type: Value.Type = Value.self
    ) throws -> Value {
        try decode(at: find(key.jsonKey))
    }

    /// The member with this key, of a type that is `Decodable` only; nil if there is none or it is `null`.
    ///
    /// - Throws: `DecodingError`, with the coding path; the errors of the type's `init(from:)`.
    public mutating func decodeIfPresent<Value: Decodable>(
        _ key: StaticString, as type: Value.Type = Value.self
    ) throws -> Value? {
        let place = try present(key.jsonKey)
        return place.node < 0 ? nil : try decode(at: place.node)
    }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "a type that is Decodable only is read by json.decode(\"key\")")
    @_disfavoredOverload
    public subscript<Value: Decodable>(_ key: StaticString) -> Value {
        mutating get throws { try decode(key) }
    }

    /// Unavailable: names the property's type as what decides.
    @available(*, unavailable, message: "a member has the type of its property: write age = try json[\"age\"]")
    @_disfavoredOverload
    public subscript(_ key: StaticString) -> Json? {
        mutating get throws { try decode(key) }
    }

    private mutating func decode<Value: Decodable>(at node: Int) throws -> Value {
        do {
            return try context.withDecoder(at: node) { try $0.decode(Value.self) }
        } catch {
            requireCheck()
            throw error
        }
    }
}
