extension JsonValueDecoder {
    /// The elements of an array in order. Its three words fit into an existential without an allocation.
    struct UnkeyedContainer: UnkeyedDecodingContainer {
        let decoder: JsonValueDecoder
        private var place: UInt32
        private var end: UInt32
        private(set) var currentIndex = 0

        init(decoder: JsonValueDecoder) {
            self.decoder = decoder
            place = UInt32(truncatingIfNeeded: decoder.node + 1)
            end = UInt32(truncatingIfNeeded: decoder.word(decoder.node).low)
        }

        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { decoder.word(decoder.node).high }
        var isAtEnd: Bool { place >= end }

        /// Runs the body on the current element, and advances if it succeeds.
        @inline(__always)
        private mutating func element<Value>(
            _ type: Value.Type, _ body: (JsonValueDecoder, Int, Int) throws -> Value
        ) throws -> Value {
            let node = try current(type)
            let value = try body(decoder, node, currentIndex)
            advance(past: node)
            return value
        }

        /// Like `element`, for optional values: nil at the end of the array and for `null`.
        @inline(__always)
        private mutating func optional<Value>(
            _ type: Value.Type, _ body: (JsonValueDecoder, Int, Int) throws -> Value
        ) throws -> Value? {
            if isAtEnd { return nil }
            let node = Int(place)
            if decoder.word(node).kind == JsonWord.null {
                advance(past: node)
                return nil
            }
            let value = try body(decoder, node, currentIndex)
            advance(past: node)
            return value
        }

        @inline(__always)
        private func current(_ type: any Any.Type) throws -> Int {
            if place < end { return Int(place) }
            let context = DecodingError.Context(
                codingPath: decoder.codingPath + [JsonKey(index: currentIndex)],
                debugDescription: "Unkeyed container is at end.")
            throw DecodingError.valueNotFound(type, context)
        }

        @inline(__always)
        private mutating func advance(past node: Int) {
            place = UInt32(truncatingIfNeeded: decoder.next(after: node))
            currentIndex += 1
        }

        mutating func decodeNil() throws -> Bool {
            let node = try current(Any?.self)
            guard decoder.word(node).kind == JsonWord.null else { return false }
            advance(past: node)
            return true
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try element(type) { try $0.decode(type, at: $1, index: $2) }
        }

        mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
            try optional(type) { try $0.decode(type, at: $1, index: $2) }
        }

        mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            try element(KeyedDecodingContainer<Key>.self) {
                try $0.child(at: $1, index: $2).container(keyedBy: type)
            }
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try element((any UnkeyedDecodingContainer).self) {
                try $0.child(at: $1, index: $2).unkeyedContainer()
            }
        }

        mutating func superDecoder() throws -> any Decoder {
            try element((any Decoder).self) { $0.child(at: $1, index: $2) }
        }
    }
}

extension JsonValueDecoder.UnkeyedContainer {
    @inline(__always)
    private mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        try element(type) { try $0.integer(type, at: $1, $0.codingPath + [JsonKey(index: $2)]) }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try element(type) { try $0.bool(at: $1, $0.codingPath + [JsonKey(index: $2)]) }
    }
    mutating func decode(_ type: String.Type) throws -> String {
        try element(type) { try $0.string(at: $1, $0.codingPath + [JsonKey(index: $2)]) }
    }
    mutating func decode(_ type: Double.Type) throws -> Double {
        try element(type) { try $0.double(at: $1, $0.codingPath + [JsonKey(index: $2)]) }
    }
    mutating func decode(_ type: Float.Type) throws -> Float {
        try element(type) { try $0.float(at: $1, $0.codingPath + [JsonKey(index: $2)]) }
    }
    mutating func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }
}
