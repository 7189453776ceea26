import NodeCore

/// The header section of one response as the received bytes. It is parsed on access.
package struct HeaderBlock: Sendable {
    /// Whole lines with their line terminators, without the status line.
    package var bytes: [UInt8]

    package init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    package init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func append(_ line: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: line)
    }

    /// All fields in their order. A line that continues the previous one (obs-fold, RFC 9112 §5.2) is joined to it with
    /// a space.
    var fields: [HttpHeaders.Field] {
        var fields: [HttpHeaders.Field] = []
        var open: (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)?
        func close() {
            if let field = open.take() { fields.append(.init(name: field.name.text, valueBytes: field.value)) }
        }
        for line in IteratorSequence(lines) {
            if line.isContinuation {
                open?.value.fold(line)
            } else {
                close()
                open = line.firstIndex(of: 0x3A).map { (line[..<$0].trimmed, line[($0 + 1)...].trimmed) }
            }
        }
        close()
        return fields
    }

    /// The value of the first field of that name.
    func firstValue(of name: String) -> String? {
        let initial = name.utf8.first?.lowercased
        var lines = lines
        while let line = lines.next() {
            // Most lines differ in their first byte.
            guard line.first?.lowercased == initial, !line.isContinuation, let colon = line.firstIndex(of: 0x3A),
                line[..<colon].trimmed.elementsEqual(name.utf8, by: { $0.lowercased == $1.lowercased })
            else { continue }
            var value = line[(colon + 1)...].trimmed
            while let rest = lines.next(), rest.isContinuation { value.fold(rest) }
            return HttpHeaders.Field(name: name, valueBytes: value).value
        }
        return nil
    }

    /// Where a redirect leads; nil without a `Location` or with an empty one. Bytes beyond ASCII are escaped: they may be
    /// of any encoding, and the server gets the same bytes.
    package var location: String? {
        guard
            let line = IteratorSequence(lines).first(where: {
                $0.starts(with: "Location:".utf8, by: { $0.lowercased == $1.lowercased })
            })
        else { return nil }
        var location: [UInt8] = []
        for byte in line.dropFirst("Location:".utf8.count).trimmed {
            if byte < 0x80 { location.append(byte) } else { Percent.append(byte, to: &location) }
        }
        return location.isEmpty ? nil : String(decoding: location, as: UTF8.self)
    }

    private var lines: Lines { Lines(rest: bytes[...]) }
}

/// Lines without their line terminators.
private struct Lines: IteratorProtocol {
    var rest: ArraySlice<UInt8>

    mutating func next() -> ArraySlice<UInt8>? {
        if rest.isEmpty { return nil }
        let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
        let line = rest[..<end]
        rest = rest[end...].dropFirst()
        return line.last == 0x0D ? line.dropLast() : line
    }
}

extension ArraySlice<UInt8> {
    /// Appends the value of a continuation line, separated by one space unless either part is empty.
    fileprivate mutating func fold(_ line: ArraySlice<UInt8>) {
        let rest = line.trimmed
        if !isEmpty, !rest.isEmpty { append(0x20) }
        append(contentsOf: rest)
    }

    /// Whether the line continues the previous one (RFC 9112 §5.2).
    fileprivate var isContinuation: Bool { first == 0x20 || first == 0x09 }

    fileprivate var text: String { String(decoding: self, as: UTF8.self) }

    /// Without spaces, tabs and carriage returns at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        var slice = drop(while: isSpace)
        while let last = slice.last, isSpace(last) { slice.removeLast() }
        return slice
    }
}
