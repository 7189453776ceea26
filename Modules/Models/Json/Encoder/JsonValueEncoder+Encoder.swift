extension JsonValueEncoder: Encoder {
    var userInfo: [CodingUserInfoKey: Any] { settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        types.containers(type).container(of: open(.object))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedContainer(encoder: open(.array)) }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}
