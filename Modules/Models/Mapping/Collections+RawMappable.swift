extension Json {
    /// Whether the value is `null`, `{}` or `[]`, and so has nothing to map. An empty body is `{}`.
    package var isNothing: Bool {
        switch kind {
        case .null: true
        case .array, .object: count == 0
        default: false
        }
    }
}

/// Runs the body, and prepends the key to the coding path of a decoding error.
func within<Value>(_ key: @autoclosure () -> JsonKey, _ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as DecodingError {
        throw error.prefixed(with: key())
    }
}

extension Array: RawEncodable where Element: RawEncodable, Element.Raw == Json {
    /// A JSON array of the elements' raw forms.
    public func toRaw() throws -> Json { Json(try map { try $0.toRaw() }) }
}

extension Array: RawDecodable where Element: RawDecodable, Element.Raw == Json {
    /// Creates each element from its part of the array. `null`, `{}`, `[]` and an empty body give an empty array.
    ///
    /// The parts are views of one document, which is not parsed again.
    public static func from(raw: Json) throws -> [Element] {
        if raw.isNothing { return [] }
        guard raw.kind == .array else { throw raw.mismatch([Element].self, "an array") }
        var first: Element?
        if let (document, node) = raw.view {
            let defaultElements = DefaultElements<Element>()
            let marked = JsonDocument(of: document, provenance: document.provenance, defaultElements)
            let element = try within(JsonKey(index: 0)) {
                try Element.from(raw: Json(.document(marked, node: node + 1)))
            }
            if let elements = try defaultElements.decode(raw, first: element) { return elements }
            first = element
        }
        var elements = raw.elements.makeIterator()
        return try Array(outsideCount: raw.count) { index in
            let element = elements.next() ?? .null
            if index == 0, let first { return first }
            return try within(JsonKey(index: index)) { try Element.from(raw: element) }
        }
    }
}

extension Dictionary: RawEncodable where Key == String, Value: RawEncodable, Value.Raw == Json {
    /// A JSON object of the values' raw forms. Its members are in the order of their keys.
    public func toRaw() throws -> Json { Json(try mapValues { try $0.toRaw() }) }
}

extension Dictionary: RawDecodable where Key == String, Value: RawDecodable, Value.Raw == Json {
    /// Creates each value from its member of the object, of members with the same key from the last. `null`, `{}`, `[]` and
    /// an empty body give an empty dictionary.
    public static func from(raw: Json) throws -> [String: Value] {
        if raw.isNothing { return [:] }
        guard raw.kind == .object else { throw raw.mismatch([String: Value].self, "an object") }
        var result: [String: Value] = [:]
        result.reserveCapacity(BoundedReservation.count(raw.count, of: (String, Value).self))
        var keys: Set<String> = []
        let members = raw.members.reversed().filter { keys.insert($0.0).inserted }
        for (key, value) in members.reversed() {
            result[key] = try within(JsonKey(key)) { try Value.from(raw: value) }
        }
        return result
    }
}

extension Optional: RawEncodable where Wrapped: RawEncodable, Wrapped.Raw == Json {
    /// The value's raw form, `null` for nil.
    public func toRaw() throws -> Json { try map { try $0.toRaw() } ?? .null }
}

extension Optional: RawDecodable where Wrapped: RawDecodable, Wrapped.Raw == Json {
    /// The value, nil for `null`, `{}` and an empty body.
    public static func from(raw: Json) throws -> Wrapped? {
        switch raw.kind {
        case .null: nil
        case .object where raw.count == 0: nil
        default: try Wrapped.from(raw: raw)
        }
    }
}
