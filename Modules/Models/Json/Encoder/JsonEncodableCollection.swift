/// An array or dictionary type, which is encoded without a container and with one lookup of its element type.
protocol JsonEncodableCollection {
    func encodeElements(to encoder: JsonValueEncoder) throws
}

extension Array: JsonEncodableCollection where Element: Encodable {
    func encodeElements(to encoder: JsonValueEncoder) throws {
        let encoder = encoder.open(.array)
        let kind = encoder.types.kind(of: Element.self)
        for element in self { try encoder.encodeElement(element, kind) }
    }
}

extension Dictionary: JsonEncodableCollection where Key == String, Value: Encodable {
    func encodeElements(to encoder: JsonValueEncoder) throws {
        let encoder = encoder.open(.object)
        let kind = encoder.types.kind(of: Value.self)
        for (key, value) in self {
            encoder.beginMember(key, isUnique: true)
            if encoder.encodeSimple(value, kind) { continue }
            try encoder.encodeChild(value, kind, at: JsonKey(key))
        }
    }
}
