extension JsonValueEncoder {
    /// The elements of an array.
    struct UnkeyedContainer: UnkeyedEncodingContainer {
        let encoder: JsonValueEncoder

        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { encoder.count }

        private var elementPath: [any CodingKey] { encoder.codingPath + [JsonKey(index: encoder.count)] }

        @inline(__always)
        private func element(_ write: (JsonWriter) -> Void) {
            encoder.beginElement()
            write(encoder.writer)
        }

        func encodeNil() throws { element { $0.write(raw: "null") } }
        func encode(_ value: Bool) throws { element { $0.write(bool: value) } }
        func encode(_ value: String) throws { element { $0.write(value) } }
        func encode(_ value: Double) throws {
            if value.isFinite { return element { $0.write(double: value) } }
            try encode(try encoder.text(notFinite: value) { elementPath })
        }
        func encode(_ value: Float) throws {
            if value.isFinite { return element { $0.write(float: value) } }
            try encode(try encoder.text(notFinite: value) { elementPath })
        }
        func encode(_ value: Int) throws { element { $0.write(integer: value) } }
        func encode(_ value: Int8) throws { element { $0.write(integer: value) } }
        func encode(_ value: Int16) throws { element { $0.write(integer: value) } }
        func encode(_ value: Int32) throws { element { $0.write(integer: value) } }
        func encode(_ value: Int64) throws { element { $0.write(integer: value) } }
        func encode(_ value: Int128) throws { element { $0.write(integer: value) } }
        func encode(_ value: UInt) throws { element { $0.write(integer: value) } }
        func encode(_ value: UInt8) throws { element { $0.write(integer: value) } }
        func encode(_ value: UInt16) throws { element { $0.write(integer: value) } }
        func encode(_ value: UInt32) throws { element { $0.write(integer: value) } }
        func encode(_ value: UInt64) throws { element { $0.write(integer: value) } }
        func encode(_ value: UInt128) throws { element { $0.write(integer: value) } }

        func encode<Value: Encodable>(_ value: Value) throws {
            try encoder.undoingFailure { try encoder.encodeElement(value, encoder.types.kind(of: Value.self)) }
        }

        func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
            KeyedEncodingContainer(
                JsonValueEncoder.KeyedContainer<NestedKey>(encoder: encoder.insertion(JsonKey(""), .object)))
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            JsonValueEncoder.UnkeyedContainer(encoder: encoder.insertion(JsonKey(""), .array))
        }

        func superEncoder() -> any Encoder { encoder.insertion(JsonKey("")) }
    }
}
