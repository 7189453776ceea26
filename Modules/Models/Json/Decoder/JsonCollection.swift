/// Arrays and dictionaries, which are read here: without a container between them and the tape, and with their
/// elements' type looked at once.
protocol JsonCollection {
    /// The collection at the decoder's place.
    static func decode(from decoder: JsonValueDecoder) throws -> Self
}

extension Array: JsonCollection where Element: Decodable {
    static func decode(from decoder: JsonValueDecoder) throws -> [Element] {
        let word = decoder.word(decoder.node)
        guard word.kind == JsonWord.array else {
            throw decoder.mismatch([Any].self, at: decoder.node, decoder.codingPath, container: "unkeyed")
        }
        // The empty array is one object for the whole process, which must not be written to.
        if word.high == 0 { return [] }
        let kind = decoder.types.kind(of: Element.self)
        switch kind {
        case .special(.string): return JsonValueDecoder.same(try decoder.scalars { try $0.string(at: $1, $2) })
        case .special(.int): return JsonValueDecoder.same(try decoder.scalars { try $0.integer(Int.self, at: $1, $2) })
        case .special(.double): return JsonValueDecoder.same(try decoder.scalars { try $0.double(at: $1, $2) })
        default: break
        }
        var elements = JsonValueDecoder.Elements(of: decoder, kind)
        defer { elements.end() }
        // A long array of short texts may be meant for large elements and fail at the first of them, so that room is
        // made for all of them at once only where it is little.
        if word.high <= 1 << 20 / MemoryLayout<Element>.stride {
            return try Array(unsafeUninitializedCapacity: word.high) { buffer, count in
                guard let start = buffer.baseAddress else { return }
                while count < word.high {
                    (start + count).initialize(to: try elements.next())
                    count += 1
                }
            }
        }
        var result: [Element] = []
        for _ in 0..<word.high { result.append(try elements.next()) }
        return result
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

    /// Members that need a decoder. A function of its own: dictionaries of scalars don't ask for its types.
    @inline(never)
    private static func decodeMembers(from decoder: JsonValueDecoder) throws -> [String: Value] {
        let word = decoder.word(decoder.node)
        let capacity = Swift.min(word.high, 1 + 1 << 20 / (16 + MemoryLayout<Value>.stride))
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
    /// Elements that need no decoder. Where one fails, it is read again for an error with its path.
    @inline(__always)
    func scalars<Element>(_ read: (JsonValueDecoder, Int, [any CodingKey]) throws -> Element) throws -> [Element] {
        let word = word(node)
        var result: [Element] = []
        result.reserveCapacity(word.high)
        var place = node + 1
        while place < word.low {
            do {
                result.append(try read(self, place, []))
            } catch {
                result.append(try read(self, place, codingPath + [JsonKey(index: result.count)]))
            }
            place = next(after: place)
        }
        return result
    }

    /// Members whose values need no decoder.
    @inline(__always)
    func scalarMembers<Value>(
        _ read: (JsonValueDecoder, Int, [any CodingKey]) throws -> Value
    ) throws -> [String: Value] {
        let word = word(node)
        var result = [String: Value](minimumCapacity: word.high)
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
