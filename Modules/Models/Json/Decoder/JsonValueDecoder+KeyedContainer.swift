extension JsonValueDecoder {
    /// The members of an object by their keys. The decoder holds all state, because the protocol's methods are not
    /// mutating.
    struct KeyedContainer<Key: CodingKey>: JsonDecodingContainer {
        let decoder: JsonValueDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] { decoder.memberKeys().compactMap { Key(stringValue: $0) } }

        func contains(_ key: Key) -> Bool { peek(key) >= 0 }

        /// The tape index of the member's value; below 0 if there is none. The member after it is expected next.
        @inline(__always)
        private func find(_ key: some CodingKey) -> Int {
            var name = key.stringValue
            return name.withUTF8 { decoder.find($0) }
        }

        /// Like `find`, but does not change which member is expected next.
        private func peek(_ key: Key) -> Int {
            var name = key.stringValue
            return name.withUTF8 { decoder.peek($0) }
        }

        /// The tape index of the member's value.
        @inline(__always)
        private func place(_ key: Key) throws -> Int {
            let node = find(key)
            if node < 0 { throw decoder.keyNotFound(key) }
            return node
        }

        /// The tape index of the member's value; nil if there is none or it is `null`.
        @inline(__always)
        private func placeIfPresent(_ key: Key) -> Int? {
            let node = find(key)
            return decoder.word(node).kind == JsonWord.null ? nil : node
        }

        func decodeNil(forKey key: Key) throws -> Bool {
            let node = peek(key)
            if node < 0 { throw decoder.keyNotFound(key) }
            return decoder.word(node).kind == JsonWord.null
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder.decode(type, at: place(key), key: key)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            try placeIfPresent(key).map { try decoder.decode(type, at: $0, key: key) }
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try decoder.child(at: place(key), key: key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder.child(at: place(key), key: key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder {
            decoder.child(at: find(JsonSuperKey.super), key: JsonSuperKey.super)
        }

        func superDecoder(forKey key: Key) throws -> any Decoder { decoder.child(at: find(key), key: key) }
    }
}

extension JsonValueDecoder.KeyedContainer {
    @inline(__always)
    private func integer<Value: FixedWidthInteger>(_ type: Value.Type, _ key: Key) throws -> Value {
        try decoder.integer(type, at: place(key), decoder.codingPath + [key])
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try decoder.bool(at: place(key), decoder.codingPath + [key])
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try decoder.string(at: place(key), decoder.codingPath + [key])
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try decoder.double(at: place(key), decoder.codingPath + [key])
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try decoder.float(at: place(key), decoder.codingPath + [key])
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(type, key) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try integer(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(type, key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(type, key) }
}

extension JsonValueDecoder.KeyedContainer {
    @inline(__always)
    private func optionalInteger<Value: FixedWidthInteger>(_ type: Value.Type, _ key: Key) throws -> Value? {
        try placeIfPresent(key).map { try decoder.integer(type, at: $0, decoder.codingPath + [key]) }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try placeIfPresent(key).map { try decoder.bool(at: $0, decoder.codingPath + [key]) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try placeIfPresent(key).map { try decoder.string(at: $0, decoder.codingPath + [key]) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try placeIfPresent(key).map { try decoder.double(at: $0, decoder.codingPath + [key]) }
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try placeIfPresent(key).map { try decoder.float(at: $0, decoder.codingPath + [key]) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optionalInteger(type, key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try optionalInteger(type, key) }
}
