/// Reads values that need no input of their own. A value that is of another kind is read again by the decoder, whose
/// errors and rare forms these are.
extension JsonInput {
    @inline(__always)
    mutating func string(at node: Int) throws -> String {
        let word = word(node)
        if word.isString { return JsonText.string(word, in: bytes) }
        return try byDecoder(node) { try $0.string(at: $1, $2()) }
    }

    @inline(__always)
    mutating func bool(at node: Int) throws -> Bool {
        let kind = word(node).kind
        if kind == JsonWord.true { return true }
        if kind == JsonWord.false { return false }
        return try byDecoder(node) { try $0.bool(at: $1, $2()) }
    }

    @inline(__always)
    mutating func integer<Value: FixedWidthInteger>(at node: Int) throws -> Value {
        let word = word(node)
        if word.kind == JsonWord.integer {
            let parsed = JsonNumber.integer(bytes + word.low, word.high)
            if parsed.isExact, let value = parsed.value(as: Value.self) { return value }
        }
        return try byDecoder(node) { try $0.integer(Value.self, at: $1, $2()) }
    }

    @inline(__always)
    mutating func double(at node: Int) throws -> Double {
        let word = word(node)
        if word.isNumber, let value = JsonNumber.double(bytes + word.low, word.high) { return value }
        return try byDecoder(node) { try $0.double(at: $1, $2()) }
    }

    @inline(__always)
    mutating func float(at node: Int) throws -> Float {
        let word = word(node)
        if word.isNumber, let value = JsonNumber.float(bytes + word.low, word.high) { return value }
        return try byDecoder(node) { try $0.float(at: $1, $2()) }
    }

    @inline(never)
    private mutating func byDecoder<Value>(
        _ node: Int, _ read: (JsonValueDecoder, Int, () -> [any CodingKey]) throws -> Value
    ) throws -> Value {
        do {
            return try context.read(at: node, read)
        } catch {
            requireCheck()
            throw error
        }
    }

    /// Reads a type that the decoder handles itself.
    mutating func special<Value>(_ kind: JsonTypeKind.Special, at node: Int) throws -> Value {
        do {
            return try context.special(Value.self, kind, at: node)
        } catch {
            requireCheck()
            throw error
        }
    }

    /// The error for a raw value of which the type has none.
    @usableFromInline @inline(never)
    func invalid(_ raw: Any, _ type: any Any.Type) -> DecodingError {
        dataCorrupted("Cannot initialize \(type) from invalid \(Swift.type(of: raw)) value \(raw)")
    }
}
