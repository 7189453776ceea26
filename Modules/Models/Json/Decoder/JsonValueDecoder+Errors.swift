extension JsonValueDecoder {
    /// The error for a value that is not of the type: `valueNotFound` for `null`, `typeMismatch` otherwise.
    ///
    /// With `countsNull`, `null` is a `typeMismatch` too, as Foundation does for `Bool`.
    @inline(never)
    func mismatch(
        _ type: any Any.Type, at node: Int, _ path: [any CodingKey], container: String? = nil, countsNull: Bool = false
    ) -> DecodingError {
        let word = word(node)
        if word.kind == JsonWord.null, !countsNull {
            let wanted = container.map { "\($0) decoding container" } ?? "value of type \(type)"
            let context = DecodingError.Context(
                codingPath: path, debugDescription: "Cannot get \(wanted) -- found null value instead")
            return .valueNotFound(type, context)
        }
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "Expected to decode \(type) but found \(Self.name(word)) instead.")
        return .typeMismatch(type, context)
    }

    @inline(never)
    func keyNotFound(_ key: any CodingKey) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "No value associated with key \(key) (\"\(key.stringValue)\").")
        return .keyNotFound(key, context)
    }

    /// The error for a number that the type cannot represent. Unlike Foundation's, it has the coding path.
    @inline(never)
    func unrepresentable(_ type: any Any.Type, at node: Int, _ path: [any CodingKey]) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: path, debugDescription: "A number in the document does not fit into \(type).")
        return .dataCorrupted(context)
    }

    func corrupted(_ path: [any CodingKey], _ description: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: description))
    }

    private static func name(_ word: JsonWord) -> String {
        switch word.kind {
        case JsonWord.true, JsonWord.false: "bool"
        case JsonWord.integer, JsonWord.real: "number"
        case JsonWord.string, JsonWord.escaped: "a string"
        case JsonWord.array: "an array"
        case JsonWord.object: "a dictionary"
        default: "null"
        }
    }
}
