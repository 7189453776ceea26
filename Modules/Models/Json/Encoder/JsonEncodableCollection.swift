/// Arrays and dictionaries, which are written here: without a container between them and the buffer, and with their
/// elements' type looked at once.
protocol JsonEncodableCollection {
    func encodeElements(to encoder: JsonEncoderNode) throws
}

extension Array: JsonEncodableCollection where Element: Encodable {
    func encodeElements(to encoder: JsonEncoderNode) throws {
        let encoder = encoder.open(.array)
        if encoder.types.kind(of: Element.self) == .plain {
            try encoder.encodeElements(self)
        } else {
            for element in self {
                let index = encoder.count
                encoder.beginElement()
                try encoder.encodeChild(element, nil, index)
            }
        }
    }
}

extension Dictionary: JsonEncodableCollection where Key == String, Value: Encodable {
    func encodeElements(to encoder: JsonEncoderNode) throws {
        let encoder = encoder.open(.object)
        for (key, value) in self {
            encoder.beginMember(key, isUnique: true)
            try encoder.encodeChild(value, JsonKey(key), -1)
        }
    }
}
