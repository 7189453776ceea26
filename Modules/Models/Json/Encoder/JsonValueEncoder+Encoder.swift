extension JsonValueEncoder: Encoder {
    var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JsonKeyedEncodingContainer<Key>(encoder: open(.object)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { JsonUnkeyedEncodingContainer(encoder: open(.array)) }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}
