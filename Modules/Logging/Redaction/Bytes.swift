/// The bytes of a text, readable at any index: nil past the end, and empty for a reversed range.
///
/// The scanners read their input only through this type, so that no input can make them read out of bounds.
struct Bytes {
    let array: [UInt8]

    init(_ array: [UInt8]) {
        self.array = array
    }

    var count: Int { array.count }

    /// The byte at `index`; nil outside of the text.
    subscript(index: Int) -> UInt8? {
        index >= 0 && index < array.count ? array[index] : nil
    }

    /// The bytes from `start` up to `end`.
    subscript(start: Int, end: Int) -> ArraySlice<UInt8> {
        array.prefix(max(end, 0)).dropFirst(max(start, 0))
    }

    /// The bytes from `start` to the end.
    func from(_ start: Int) -> ArraySlice<UInt8> {
        array.dropFirst(max(start, 0))
    }

    /// The index of the first byte from `start` on that `isWanted`; the count where there is none.
    func firstIndex(from start: Int, where isWanted: (UInt8) -> Bool) -> Int {
        from(start).firstIndex(where: isWanted) ?? count
    }

    /// The index of the first byte from `start` on that isn't one of `bytes`.
    func skip(_ bytes: ByteSet, from start: Int) -> Int {
        firstIndex(from: start) { !bytes.contains($0) }
    }

    /// Whether the bytes at `index` are `text`.
    func hasText(_ text: String, at index: Int) -> Bool {
        from(index).starts(with: text.utf8)
    }

    /// Whether the byte at `index` is one of `bytes`.
    func isOne(of bytes: ByteSet, at index: Int) -> Bool {
        if let byte = self[index] { bytes.contains(byte) } else { false }
    }

    /// Where the line that contains `index` ends, without its line end.
    func endOfLine(from index: Int) -> Int {
        firstIndex(from: index) { $0 == Ascii.newline || $0 == Ascii.carriageReturn }
    }

    /// Where a line ends that continues in indented lines, as a folded header (RFC 9112, section 5.2) and YAML do. It
    /// ends before the line end of the last line that is `deeperThan` so many blanks and not empty.
    func endOfFolded(from index: Int, deeperThan indent: Int) -> Int {
        var end = endOfLine(from: index)
        while end < count {
            let next = hasText("\r\n", at: end) ? end + 2 : end + 1
            let text = skip(" \t", from: next)
            guard text - next > indent, text < count, !isOne(of: "\r\n", at: text) else { break }
            end = endOfLine(from: text)
        }
        return end
    }

    /// How many blanks start the line that contains `index`.
    func indent(ofLineAt index: Int) -> Int {
        let start = self[0, index].lastIndex { $0 == Ascii.newline || $0 == Ascii.carriageReturn }.map { $0 + 1 } ?? 0
        return skip(" \t", from: start) - start
    }
}
