/// An array or dictionary type, which is decoded without a container and with one lookup of its element type.
protocol JsonCollection {
    static func decode(from decoder: JsonValueDecoder) throws -> Self
}

extension Array: JsonCollection where Element: Decodable {
    static func decode(from decoder: JsonValueDecoder) throws -> [Element] {
        if let type = decoder.types[Element.self].pointee.readable { return try read(type, from: decoder) }
        let array = try decoder.array(at: decoder.node) { decoder.codingPath }
        if decoder.types.kind(of: Element.self).isPlain { return try decoder.plainElements() }
        var place = array + 1
        return try Array(outsideCount: decoder.word(array).high) { index in
            defer { place = decoder.next(after: place) }
            return try decoder.decode(Element.self, at: place, index: index)
        }
    }

    /// Reads elements of this type, which is the same as `Element`.
    @inline(never)
    private static func read<Readable: JsonReadable>(
        _ type: Readable.Type, from decoder: JsonValueDecoder
    ) throws -> [Element] {
        sameType(try decoder.read([Readable].self))
    }
}

extension Dictionary: JsonCollection where Key == String, Value: Decodable {
    static func decode(from decoder: JsonValueDecoder) throws -> [String: Value] {
        guard decoder.word(decoder.node).kind == JsonWord.object else {
            throw decoder.mismatch([String: Any].self, at: decoder.node, decoder.codingPath, container: "keyed")
        }
        func path(_ key: String) -> [any CodingKey] { decoder.codingPath + [JsonKey(key)] }
        switch decoder.types.kind(of: Value.self) {
        // Loops over values of a known type, which need no decoder.
        case .special(.string): return sameType(try decoder.members { try decoder.string(at: $0, path($1)) })
        case .special(.int): return sameType(try decoder.members { try decoder.integer(Int.self, at: $0, path($1)) })
        case .special(.double): return sameType(try decoder.members { try decoder.double(at: $0, path($1)) })
        default: return try decoder.members { try decoder.decode(Value.self, at: $0, key: JsonKey($1)) }
        }
    }
}

extension JsonValueDecoder {
    /// The tape index of an array.
    func array(at node: Int, _ path: () -> [any CodingKey]) throws -> Int {
        if word(node).kind == JsonWord.array { return node }
        throw mismatch([Any].self, at: node, path(), container: "unkeyed")
    }

    /// Reads an array whose elements need no decoder.
    @inline(__always)
    func elements<Element>(of array: Int, _ read: (_ node: Int, _ index: Int) throws -> Element) throws -> [Element] {
        let count = word(array).high
        var elements: [Element] = []
        elements.reserveCapacity(BoundedReservation.count(count, of: Element.self))
        var place = array + 1
        for index in 0..<count {
            elements.append(try read(place, index))
            place = next(after: place)
        }
        return elements
    }

    /// Decodes the members of this decoder's object as a dictionary. Of members with the same key the last one counts: the
    /// others may fail.
    @inline(__always)
    func members<Value>(_ read: (_ node: Int, _ key: String) throws -> Value) throws -> [String: Value] {
        let word = word(node)
        let capacity = BoundedReservation.count(word.high, of: (String, Value).self)
        var result = [String: Value](minimumCapacity: capacity)
        var place = node + 1
        var table: JsonMemberTable?
        while place < word.low {
            let key = JsonText.string(JsonWord(bits: tape[place]), in: bytes)
            do {
                result[key] = try read(place + 1, key)
            } catch {
                if counts(place, key, &table) { throw error }
            }
            place = next(after: place + 1)
        }
        return result
    }

    /// Whether a member of this decoder's object is the last one with its key.
    @inline(never)
    private func counts(_ place: Int, _ key: String, _ table: inout JsonMemberTable?) -> Bool {
        let members = table ?? JsonMemberTable(of: node, bytes: bytes, tape: tape, converting: nil)
        table = members
        var key = key
        return key.withUTF8 { members.find($0) } == place + 1
    }
}
