/// An array or dictionary type, which is decoded without a container and with one lookup of its element type.
protocol JsonCollection {
    static func decode(from decoder: JsonValueDecoder) throws -> Self
}

extension Array: JsonCollection where Element: Decodable {
    static func decode(from decoder: JsonValueDecoder) throws -> [Element] {
        let array = try decoder.array(at: decoder.node) { decoder.codingPath }
        let kind = decoder.types.kind(of: Element.self)
        var elements = JsonValueDecoder.Elements(of: decoder, kind)
        defer { elements.end() }
        return try Array(outsideCount: decoder.word(array).high) { _ in try elements.next() }
    }
}

extension Dictionary: JsonCollection where Key == String, Value: Decodable {
    static func decode(from decoder: JsonValueDecoder) throws -> [String: Value] {
        let word = decoder.word(decoder.node)
        guard word.kind == JsonWord.object else {
            throw decoder.mismatch([String: Any].self, at: decoder.node, decoder.codingPath, container: "keyed")
        }
        switch decoder.types.kind(of: Value.self) {
        case .special(.string): return JsonValueDecoder.same(try decoder.scalarMembers { try $0.string(at: $1, $2) })
        case .special(.int):
            return JsonValueDecoder.same(try decoder.scalarMembers { try $0.integer(Int.self, at: $1, $2) })
        case .special(.double): return JsonValueDecoder.same(try decoder.scalarMembers { try $0.double(at: $1, $2) })
        default: return try decodeMembers(from: decoder)
        }
    }

    /// Decodes members that need a decoder. A separate function, because dictionaries of scalars don't need its types.
    @inline(never)
    private static func decodeMembers(from decoder: JsonValueDecoder) throws -> [String: Value] {
        let word = decoder.word(decoder.node)
        let capacity = BoundedReservation.count(word.high, of: (String, Value).self)
        var result = [String: Value](minimumCapacity: capacity)
        var place = decoder.node + 1
        while place < word.low {
            let key = JsonText.string(decoder.word(place), in: decoder.bytes)
            result[key] = try decoder.decode(Value.self, at: place + 1, key: JsonKey(key))
            place = decoder.next(after: place + 1)
        }
        return result
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

    /// Reads members whose values need no decoder. A value that fails is read again, to throw an error with its coding
    /// path.
    @inline(__always)
    func scalarMembers<Value>(
        _ read: (JsonValueDecoder, Int, [any CodingKey]) throws -> Value
    ) throws -> [String: Value] {
        let word = word(node)
        let capacity = BoundedReservation.count(word.high, of: (String, Value).self)
        var result = [String: Value](minimumCapacity: capacity)
        var place = node + 1
        while place < word.low {
            let key = JsonText.string(JsonWord(bits: tape[place]), in: bytes)
            do {
                result[key] = try read(self, place + 1, [])
            } catch {
                result[key] = try read(self, place + 1, codingPath + [JsonKey(key)])
            }
            place = next(after: place + 1)
        }
        return result
    }
}
