/// A JSON text that isn't complete: arrays and objects are open at its end.
struct JsonOpenText {
    /// The keys and indices of the value at the end of the text.
    private(set) var path: [JsonKey] = []

    /// Reads what was written from an offset on.
    init(_ writer: JsonWriter, from start: Int) {
        /// The open arrays and objects: the offset of an object's last key, or an array's last index.
        var open: [(isObject: Bool, place: Int)] = []
        let bytes = UnsafePointer(writer.bytes)
        var place = start
        while place < writer.count {
            switch bytes[place] {
            case 0x7B: open.append((true, -1))
            case 0x5B: open.append((false, 0))
            case 0x7D, 0x5D: _ = open.popLast()
            case 0x2C:
                if let last = open.indices.last { open[last].place = open[last].isObject ? -1 : open[last].place + 1 }
            case 0x22:
                if let last = open.indices.last, open[last].isObject, open[last].place < 0 { open[last].place = place }
                place = Self.end(of: place, bytes) - 1
            default: break
            }
            place += 1
        }
        path = open.filter { $0.place >= 0 }.map { level in
            guard level.isObject else { return JsonKey(index: level.place) }
            let start = level.place + 1
            let text = UnsafeBufferPointer(start: bytes + start, count: Self.end(of: level.place, bytes) - 1 - start)
            let kind = text.contains(0x5C) ? JsonWord.escaped : JsonWord.string
            return JsonKey(JsonText.string(JsonWord(kind, high: text.count, low: 0), in: bytes + start))
        }
    }

    /// The offset past a string.
    private static func end(of string: Int, _ bytes: UnsafePointer<UInt8>) -> Int {
        var place = string + 1
        while bytes[place] != 0x22 { place += bytes[place] == 0x5C ? 2 : 1 }
        return place + 1
    }
}
