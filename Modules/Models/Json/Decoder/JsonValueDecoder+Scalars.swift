extension JsonValueDecoder {
    @inline(__always)
    func string(at node: Int, _ path: @autoclosure () -> [any CodingKey]) throws -> String {
        let word = word(node)
        guard word.isString else { throw mismatch(String.self, at: node, path()) }
        return JsonText.string(word, in: bytes)
    }

    @inline(__always)
    func bool(at node: Int, _ path: @autoclosure () -> [any CodingKey]) throws -> Bool {
        let kind = word(node).kind
        if kind == JsonWord.true { return true }
        guard kind == JsonWord.false else { throw mismatch(Bool.self, at: node, path(), countsNull: true) }
        return false
    }

    @inline(__always)
    func integer<Value: FixedWidthInteger>(
        _ type: Value.Type, at node: Int, _ path: @autoclosure () -> [any CodingKey]
    ) throws -> Value {
        let word = word(node)
        if word.kind == JsonWord.integer {
            let parsed = JsonNumber.integer(bytes + word.low, word.high)
            if parsed.isExact, let value = parsed.value(as: type) { return value }
        }
        return try rareInteger(type, at: node, path)
    }

    /// Reads integers of more than 64 bits and those with a fraction or an exponent, and throws the errors.
    @inline(never)
    private func rareInteger<Value: FixedWidthInteger>(
        _ type: Value.Type, at node: Int, _ path: () -> [any CodingKey]
    ) throws -> Value {
        let word = word(node)
        guard word.isNumber else { throw mismatch(type, at: node, path()) }
        guard let value: Value = JsonNumber.integer(JsonText.verbatim(word, in: bytes)) else {
            throw unrepresentable(type, at: node, path())
        }
        return value
    }

    @inline(__always)
    func double(at node: Int, _ path: @autoclosure () -> [any CodingKey]) throws -> Double {
        let word = word(node)
        if word.isNumber, let value = JsonNumber.double(bytes + word.low, word.high) { return value }
        return try notFinite(at: node, path)
    }

    @inline(__always)
    func float(at node: Int, _ path: @autoclosure () -> [any CodingKey]) throws -> Float {
        let word = word(node)
        if word.isNumber, let value = JsonNumber.float(bytes + word.low, word.high) { return value }
        return try notFinite(at: node, path)
    }

    /// Reads the strings that stand for infinities and NaN, and throws the errors.
    @inline(never)
    private func notFinite<Value: BinaryFloatingPoint>(at node: Int, _ path: () -> [any CodingKey]) throws -> Value {
        let word = word(node)
        if word.isNumber { throw unrepresentable(Value.self, at: node, path()) }
        if word.isString, case .convertFromString(let positive, let negative, let nan) = settings.floats {
            switch JsonText.string(word, in: bytes) {
            case positive: return .infinity
            case negative: return -.infinity
            case nan: return .nan
            default: break
            }
        }
        throw mismatch(Value.self, at: node, path())
    }
}

extension JsonValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { word(node).kind == JsonWord.null }
    func decode(_ type: Bool.Type) throws -> Bool { try bool(at: node, codingPath) }
    func decode(_ type: String.Type) throws -> String { try string(at: node, codingPath) }
    func decode(_ type: Double.Type) throws -> Double { try double(at: node, codingPath) }
    func decode(_ type: Float.Type) throws -> Float { try float(at: node, codingPath) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type, at: node, codingPath) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type, at: node, codingPath) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type, at: node, codingPath) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type, at: node, codingPath) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type, at: node, codingPath) }
    func decode(_ type: Int128.Type) throws -> Int128 { try integer(type, at: node, codingPath) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type, at: node, codingPath) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type, at: node, codingPath) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type, at: node, codingPath) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type, at: node, codingPath) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type, at: node, codingPath) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type, at: node, codingPath) }
}
