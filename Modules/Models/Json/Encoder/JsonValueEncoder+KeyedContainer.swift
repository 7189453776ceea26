extension JsonValueEncoder {
    /// The members of an object.
    struct KeyedContainer<Key: CodingKey>: JsonEncodingContainer {
        let encoder: JsonValueEncoder

        var codingPath: [any CodingKey] { encoder.codingPath }

        @inline(__always)
        private func member(_ key: Key, _ write: (JsonWriter) -> Void) {
            encoder.beginMember(encoder.name(of: key))
            write(encoder.writer)
        }

        func encodeNil(forKey key: Key) throws { member(key) { $0.write(raw: "null") } }
        func encode(_ value: Bool, forKey key: Key) throws { member(key) { $0.write(bool: value) } }
        func encode(_ value: String, forKey key: Key) throws { member(key) { $0.write(value) } }
        func encode(_ value: Double, forKey key: Key) throws {
            if value.isFinite { return member(key) { $0.write(double: value) } }
            try encode(try encoder.text(notFinite: value) { encoder.codingPath + [key] }, forKey: key)
        }
        func encode(_ value: Float, forKey key: Key) throws {
            if value.isFinite { return member(key) { $0.write(float: value) } }
            try encode(try encoder.text(notFinite: value) { encoder.codingPath + [key] }, forKey: key)
        }
        func encode(_ value: Int, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: Int8, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: Int16, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: Int32, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: Int64, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: Int128, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: UInt, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: UInt8, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: UInt16, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: UInt32, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: UInt64, forKey key: Key) throws { member(key) { $0.write(integer: value) } }
        func encode(_ value: UInt128, forKey key: Key) throws { member(key) { $0.write(integer: value) } }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.encodeMember(value, key) }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            KeyedEncodingContainer(JsonValueEncoder.KeyedContainer<NestedKey>(encoder: encoder.insertion(key, .object)))
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            JsonValueEncoder.UnkeyedContainer(encoder: encoder.insertion(key, .array))
        }

        func superEncoder() -> any Encoder { encoder.insertion(JsonSuperKey.super) }

        func superEncoder(forKey key: Key) -> any Encoder { encoder.insertion(key) }
    }
}
