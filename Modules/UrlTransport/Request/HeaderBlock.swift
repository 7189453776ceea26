/// The header lines of one response as the bytes that came: looked through when asked, never parsed ahead.
struct HeaderBlock: Sendable {
    /// Whole lines with their line ends, without the status line.
    var bytes: [UInt8] = []

    /// All fields in their order. A line that continues the one before (RFC 9112 §5.2) is joined to it with a space.
    var fields: [HttpHeaders.Field] {
        var fields: [HttpHeaders.Field] = []
        for line in lines {
            if let first = line.first, first == 0x20 || first == 0x09, var last = fields.popLast() {
                last.value += " " + String(decoding: line.trimmed, as: UTF8.self)
                fields.append(last)
            } else if let colon = line.firstIndex(of: 0x3A) {
                let name = String(decoding: line[..<colon].trimmed, as: UTF8.self)
                let value = String(decoding: line[line.index(after: colon)...].trimmed, as: UTF8.self)
                fields.append(HttpHeaders.Field(name: name, value: value))
            }
        }
        return fields
    }

    /// The value of the first field of that name.
    func firstValue(of name: String) -> String? {
        let lines = self.lines
        let length = name.utf8.count
        for line in lines {
            guard let colon = line.firstIndex(of: 0x3A), colon - line.startIndex == length else { continue }
            if zip(line[..<colon], name.utf8).allSatisfy({ $0.lowercased == $1.lowercased }) {
                return String(decoding: line[(colon + 1)...].trimmed, as: UTF8.self)
            }
        }
        return nil
    }

    private var lines: [ArraySlice<UInt8>] {
        bytes.split(whereSeparator: { $0 == 0x0A }).map { $0.last == 0x0D ? $0.dropLast() : $0 }
    }
}

extension ArraySlice<UInt8> {
    /// Without spaces and tabs at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        var slice = drop(while: isSpace)
        while let last = slice.last, isSpace(last) { slice.removeLast() }
        return slice
    }
}
