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

    private mutating func decode<Value: Decodable>(at node: Int) throws -> Value {
        do {
            return try context.withDecoder(at: node) { try $0.decode(Value.self) }
        } catch {
            requireCheck()
            throw error
        }
    }
}
