/// An array or dictionary type, which is decoded without a container and with one lookup of its element type.
protocol JsonCollection {
    static func decode(from decoder: JsonValueDecoder) throws -> Self
}

extension Array: JsonCollection where Element: Decodable {
    static func decode(from decoder: JsonValueDecoder) throws -> [Element] {
        let word = decoder.word(decoder.node)
        guard word.kind == JsonWord.array else {
            throw decoder.mismatch([Any].self, at: decoder.node, decoder.codingPath, container: "unkeyed")
        }
        let kind = decoder.types.kind(of: Element.self)
        switch kind {
        case .special(.string): return JsonValueDecoder.same(try decoder.scalars { try $0.string(at: $1, $2) })
        case .special(.int): return JsonValueDecoder.same(try decoder.scalars { try $0.integer(Int.self, at: $1, $2) })
        case .special(.double): return JsonValueDecoder.same(try decoder.scalars { try $0.double(at: $1, $2) })
        default: break
        }
        var elements = JsonValueDecoder.Elements(of: decoder, kind)
        defer { elements.end() }
        return try Array(outsideCount: word.high) { _ in try elements.next() }
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
    /// Reads elements that need no decoder. An element that fails is read again, to throw an error with its coding
    /// path.
    @inline(__always)
    func scalars<Element>(_ read: (JsonValueDecoder, Int, [any CodingKey]) throws -> Element) throws -> [Element] {
        var place = node + 1
        return try Array(outsideCount: word(node).high) { index in
            defer { place = next(after: place) }
            do {
                return try read(self, place, [])
            } catch {
                return try read(self, place, codingPath + [JsonKey(index: index)])
            }
        }
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
