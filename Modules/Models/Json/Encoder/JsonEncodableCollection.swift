/// An array or dictionary type, which is encoded without a container and with one lookup of its element type.
protocol JsonEncodableCollection {
    /// - Parameter isWhole: whether nothing else is encoded to the same array or object.
    func encodeElements(to encoder: JsonValueEncoder, isWhole: Bool) throws
}

extension Array: JsonEncodableCollection where Element: Encodable {
    func encodeElements(to encoder: JsonValueEncoder, isWhole: Bool) throws {
        if let type = encoder.types[Element.self].pointee.writable { return try write(as: type, to: encoder) }
        let encoder = encoder.open(.array)
        let kind = encoder.types.kind(of: Element.self)
        for element in self { try encoder.encodeElement(element, kind) }
    }

    /// Writes elements of this type, which is the same as `Element`.
    @inline(never)
    private func write<Writable: JsonWritable>(as type: Writable.Type, to encoder: JsonValueEncoder) throws {
        try encoder.write(sameType(self) as [Writable])
    }
}

extension Dictionary: JsonEncodableCollection where Key == String, Value: Encodable {
    func encodeElements(to encoder: JsonValueEncoder, isWhole: Bool) throws {
        try encoder.encodeMembers(self, isWhole: isWhole)
    }
}

extension JsonValueEncoder {
    /// Encodes members with different keys.
    @inline(__always)
    func encodeMembers<Value: Encodable>(
        _ members: some Sequence<(key: String, value: Value)>, isWhole: Bool
    ) throws {
        let encoder = open(.object)
        let kind = encoder.types.kind(of: Value.self)
        for (key, value) in members {
            encoder.beginMember(key, isUnique: isWhole)
            if encoder.encodeSimple(value, kind) { continue }
            try encoder.encodeChild(value, kind, at: JsonKey(key))
        }
    }
}
