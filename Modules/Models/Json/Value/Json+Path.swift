extension Json {
    /// Passes the array at a path of keys to `body`, and returns its result; no elements where `null` is there.
    ///
    /// - Throws: `DecodingError` if there is no value or another one, with its coding path; the errors of `body`, with the
    ///   path prepended to their coding paths.
    package func mapArray<Element>(
        at path: ArraySlice<String>, _ body: (Json) throws -> [Element]
    ) throws -> [Element] {
        guard let key = path.first else {
            if isNull { return [] }
            guard kind == .array else { throw mismatch([Element].self, "an array") }
            return try body(self)
        }
        guard kind == .object else { throw mismatch([String: Json].self, "an object") }
        guard let member = self[key] else {
            throw DecodingError.keyNotFound(
                JsonKey(key),
                DecodingError.Context(codingPath: [], debugDescription: "No value associated with key \"\(key)\"."))
        }
        do {
            return try member.mapArray(at: path.dropFirst(), body)
        } catch let error as DecodingError {
            throw error.prefixed(with: JsonKey(key))
        }
    }

    /// The error of a value that isn't of the expected kind. Its coding path is empty.
    func mismatch<Value>(_ type: Value.Type, _ expected: String) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(codingPath: [], debugDescription: "Expected \(expected) but found \(kind) instead."))
    }
}
