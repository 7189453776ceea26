extension Dictionary: JsonReadable where Key: JsonReadable, Value: JsonReadable {
    /// Reads a dictionary in the form of its `Decodable` conformance: an object if the keys are `String`, `Int` or
    /// `CodingKeyRepresentable`, otherwise an array of keys and values.
    @inlinable
    public init(json: inout JsonInput) throws {
        if Key.self == String.self, !json.hasTable {
            var place = try json.firstMember()
            self.init(minimumCapacity: json.capacity(of: (Key, Value).self))
            json.readAllMembers()
            while json.hasElement(at: place) {
                if let key = json.key(at: place) as? Key {
                    self[key] = try Value._value(at: json.value(at: place), of: &json)
                }
                place = json.place(after: json.value(at: place))
            }
        } else if let key = Self.makeKey {
            try self.init(object: &json, key: key)
        } else {
            try self.init(array: &json)
        }
    }

    /// Makes a key from that of a member; nil if keys are values.
    @usableFromInline
    static var makeKey: ((_ member: String) -> Key?)? {
        if Key.self == String.self { return { $0 as? Key } }
        if Key.self == Int.self { return { Int($0) as? Key } }
        guard let type = Key.self as? any CodingKeyRepresentable.Type else { return nil }
        return { type.init(codingKey: JsonKey($0, Int($0))) as? Key }
    }

    @usableFromInline
    init(object json: inout JsonInput, key makeKey: (String) -> Key?) throws {
        let members = try json.distinctMembers()
        json.readAllMembers()
        let hasNumbers = Key.self != String.self
        if hasNumbers { json.context.pointee.dictionaries.append(json.node) }
        defer { if hasNumbers { json.context.pointee.dictionaries.removeLast() } }
        self.init(minimumCapacity: json.capacity(of: (Key, Value).self))
        for (name, node) in members {
            guard let key = makeKey(name) else { throw json.invalidKey(name, Key.self) }
            self[key] = try Value._value(at: JsonInput._Place(node), of: &json)
        }
    }

    @usableFromInline
    init(array json: inout JsonInput) throws {
        var place = try json.firstElement()
        let count = json.word(json.node).high
        guard count.isMultiple(of: 2) else {
            throw json.dataCorrupted("Expected collection of key-value pairs; encountered odd-length array instead.")
        }
        self.init(minimumCapacity: BoundedReservation.count(count / 2, of: (Key, Value).self))
        while json.hasElement(at: place) {
            let key = try Key._value(at: place, of: &json)
            place = json.place(after: place)
            self[key] = try Value._value(at: place, of: &json)
            place = json.place(after: place)
        }
    }
}

extension JsonInput {
    /// The place of the first member's key.
    @usableFromInline
    func firstMember() throws -> _Place {
        try checkObject()
        return _Place(node + 1)
    }

    @usableFromInline
    func key(at place: _Place) -> String { JsonText.string(word(place.node), in: bytes) }

    @usableFromInline
    func value(at place: _Place) -> _Place { _Place(place.node + 1) }

    /// Whether members are found in a table, which knows those that don't count.
    @usableFromInline var hasTable: Bool { table != nil }

    fileprivate func invalidKey(_ name: String, _ type: any Any.Type) -> DecodingError {
        let path = context.pointee.path(to: node) + [JsonKey(name, Int(name))]
        func failure(_ description: String) -> DecodingError.Context {
            DecodingError.Context(codingPath: path, debugDescription: description)
        }
        if type == Int.self { return .typeMismatch(type, failure("Expected Int key but found String key instead.")) }
        return .dataCorrupted(failure("Could not convert key to type \(type)"))
    }
}
