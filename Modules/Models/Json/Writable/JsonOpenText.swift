/// A JSON text that isn't complete: arrays and objects are open at its end. It is read once, as it grows.
struct JsonOpenText {
    /// An open array or object.
    private struct Level {
        let isObject: Bool
        /// The offset of an object's last key, -1 before it; an array's last index.
        var place: Int
    }

    private var open: [Level] = []
    /// The offset up to which the text was read.
    private var end: Int

    /// - Parameter start: the offset of the text.
    init(from start: Int) {
        end = start
    }

    /// Reads what was written since the last call. Returns the keys and indices of the value at the end of the text.
    ///
    /// - Parameter number: returns the number that is the key at an offset, if it is one.
    mutating func path(in writer: JsonWriter, number: (Int) -> Int?) -> [JsonKey] {
        let bytes = UnsafePointer(writer.bytes)
        while end < writer.count {
            switch bytes[end] {
            case 0x7B: open.append(Level(isObject: true, place: -1))
            case 0x5B: open.append(Level(isObject: false, place: 0))
            case 0x7D, 0x5D: _ = open.popLast()
            case 0x2C:
                if let last = open.indices.last { open[last].place = open[last].isObject ? -1 : open[last].place + 1 }
            case 0x22:
                if let last = open.indices.last, open[last].isObject, open[last].place < 0 { open[last].place = end }
                end = Self.end(of: end, bytes) - 1
            default: break
            }
            end += 1
        }
        return open.filter { $0.place >= 0 }.map { level in
            guard level.isObject else { return JsonKey(index: level.place) }
            let start = level.place + 1
            let text = UnsafeBufferPointer(start: bytes + start, count: Self.end(of: level.place, bytes) - 1 - start)
            return JsonKey(JsonText.string(written: text), number(level.place))
        }
    }

    /// The members of an open object have changed: they are read again.
    ///
    /// - Parameters:
    ///   - start: the offset of the first member.
    ///   - level: how many arrays and objects contain it.
    mutating func forgetMembers(from start: Int, level: Int) {
        guard end > start, level < open.count else { return }
        open.removeLast(open.count - level - 1)
        open[level].place = -1
        end = start
    }

    /// The offset past a string.
    private static func end(of string: Int, _ bytes: UnsafePointer<UInt8>) -> Int {
        var place = string + 1
        while bytes[place] != 0x22 { place += bytes[place] == 0x5C ? 2 : 1 }
        return place + 1
    }
}
