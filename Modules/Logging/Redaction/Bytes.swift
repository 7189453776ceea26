/// The bytes of a text, readable at any index: nil past the end, and empty for a reversed range. So no input can make
/// its reader read out of bounds.
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

    func hasText(_ text: String, at index: Int) -> Bool {
        from(index).starts(with: text.utf8)
    }

    /// Whether the byte at `index` is one of `bytes`.
    func isOne(of bytes: ByteSet, at index: Int) -> Bool {
        if let byte = self[index] { bytes.contains(byte) } else { false }
    }
}
