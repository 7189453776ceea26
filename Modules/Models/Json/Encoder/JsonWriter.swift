#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A growing buffer of JSON text, which its `Owner` deallocates.
///
/// An unmanaged pointer: reference counting would take a large part of the encoding time. A type that stores a writer
/// also references its owner, or an encoder that does.
struct JsonWriter {
    final class Owner {
        let writer: JsonWriter

        init(isPretty: Bool, sortsKeys: Bool, escapesSlashes: Bool, capacity: Int) {
            writer = JsonWriter(
                Storage(
                    bytes: .allocate(capacity: capacity), capacity: capacity, isPretty: isPretty, sortsKeys: sortsKeys,
                    escapesSlashes: escapesSlashes))
        }

        deinit { writer.free() }
    }

    fileprivate struct Storage {
        var bytes: UnsafeMutablePointer<UInt8>
        var count = 0
        var capacity: Int
        let isPretty: Bool
        let sortsKeys: Bool
        let escapesSlashes: Bool
        var misuse: EncodingError.Context?
    }

    private let storage: UnsafeMutablePointer<Storage>

    private init(_ content: Storage) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: content)
    }

    private func free() {
        bytes.deallocate()
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    @inline(__always) var bytes: UnsafeMutablePointer<UInt8> { storage.pointee.bytes }
    /// The length of the text in bytes. Only the writer's own methods change it.
    @inline(__always) var count: Int {
        get { storage.pointee.count }
        nonmutating set { storage.pointee.count = newValue }
    }
    /// The last byte. The text must not be empty.
    @inline(__always) var last: UInt8 { bytes[count - 1] }
    @inline(__always) var isPretty: Bool { storage.pointee.isPretty }
    @inline(__always) var sortsKeys: Bool { storage.pointee.sortsKeys }
    @inline(__always) private var escapesSlashes: Bool { storage.pointee.escapesSlashes }
    /// Where, and how, a type misused an encoder, or nested too deeply. Thrown when the encoding completes.
    var misuse: EncodingError.Context? {
        get { storage.pointee.misuse }
        nonmutating set { storage.pointee.misuse = newValue }
    }

    var data: Data { Data(bytes: bytes, count: count) }

    // MARK: - Bytes

    @inline(__always)
    func reserve(_ length: Int) {
        if count + length > storage.pointee.capacity { grow(length) }
    }

    @inline(never)
    private func grow(_ length: Int) {
        let capacity = max(storage.pointee.capacity * 2, count + length)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: bytes, count: count)
        bytes.deallocate()
        storage.pointee.bytes = larger
        storage.pointee.capacity = capacity
    }

    @inline(__always)
    func write(_ byte: UInt8) {
        reserve(1)
        bytes[count] = byte
        count += 1
    }

    @inline(__always)
    func write(raw text: StaticString) {
        write(text.utf8Start, text.utf8CodeUnitCount)
    }

    @inline(__always)
    func write(_ source: UnsafePointer<UInt8>, _ length: Int) {
        reserve(length)
        (bytes + count).update(from: source, count: length)
        count += length
    }

    /// Writes text that is JSON already.
    func write(verbatim text: String) {
        var text = text
        text.withUTF8 { if let start = $0.baseAddress { write(start, $0.count) } }
    }

    @inline(__always)
    func truncate(to end: Int) { count = end }

    /// Inserts the texts of other writers at the given offsets, which are in ascending order.
    func insert(_ texts: [(place: Int, writer: JsonWriter)]) {
        var length = texts.reduce(0) { $0 + $1.writer.count }
        reserve(length)
        var end = count
        count += length
        for (place, other) in texts.reversed() {
            (bytes + place + length).update(from: bytes + place, count: end - place)
            length -= other.count
            (bytes + place + length).update(from: other.bytes, count: other.count)
            end = place
        }
    }

    func writeLine(indent: Int) {
        write(0x0A)
        for _ in 0..<indent * 2 { write(0x20) }
    }

    func write(bool value: Bool) {
        if value { write(raw: "true") } else { write(raw: "false") }
    }

    // MARK: - Strings

    @inline(__always)
    func write(_ text: String) {
        // Unlike `withUTF8` this needs no mutable copy, which would be retained.
        if text.utf8.withContiguousStorageIfAvailable({ write(quoting: $0) }) == nil { write(bridged: text) }
    }

    @inline(never)
    private func write(bridged text: String) {
        var text = text
        text.withUTF8 { write(quoting: $0) }
    }

    /// Writes a string of this many bytes, none of which needs an escape. The body writes them.
    @inline(__always)
    func write(quoted length: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Void) {
        reserve(length + 2)
        bytes[count] = 0x22
        body(bytes + count + 1)
        bytes[count + length + 1] = 0x22
        count += length + 2
    }

    @inline(__always)
    func write(quoting text: UnsafeBufferPointer<UInt8>) {
        let length = text.count
        // Space for both quotes, and for the loop to store whole words.
        reserve(length + 10)
        var output = bytes + count
        output.pointee = 0x22
        output += 1
        if let start = text.baseAddress {
            let source = UnsafeRawPointer(start)
            var offset = 0
            while offset + 8 <= length {
                let word = source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if needsEscape(word) { return writeEscaping(text, from: offset) }
                UnsafeMutableRawPointer(output + offset).storeBytes(of: word, as: UInt64.self)
                offset += 8
            }
            if offset < length {
                let word = Self.lastWord(source, length)
                // The bytes past the text are as those that need no escape.
                if needsEscape(word.bits | word.padding) { return writeEscaping(text, from: offset) }
                UnsafeMutableRawPointer(output + word.place).storeBytes(of: word.bits, as: UInt64.self)
            }
        }
        output[length] = 0x22
        count += length + 2
    }

    /// The last eight bytes of a text, or all of a shorter one with zeros after them, and the offset at which they start.
    /// `padding` has a byte that needs no escape for each of the zeros.
    @inline(__always)
    static func lastWord(
        _ text: UnsafeRawPointer, _ length: Int
    ) -> (bits: UInt64, padding: UInt64, place: Int) {
        if length >= 8 {
            return (text.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self), 0, length - 8)
        }
        let padding: UInt64 = 0x6161_6161_6161_6161 << UInt64(length * 8)
        return (firstBytes(text, length).littleEndian, padding.littleEndian, 0)
    }

    /// The bytes of a text of one to seven, the first in the lowest bits.
    @inline(__always)
    static func firstBytes(_ text: UnsafeRawPointer, _ length: Int) -> UInt64 {
        if length >= 4 {
            // The second half may overlap the first.
            let shift = UInt64(length - 4) * 8
            return UInt64(UInt32(littleEndian: text.loadUnaligned(as: UInt32.self)))
                | UInt64(UInt32(littleEndian: text.loadUnaligned(fromByteOffset: length - 4, as: UInt32.self))) << shift
        }
        let middle = UInt64(text.load(fromByteOffset: length / 2, as: UInt8.self)) << UInt64(length / 2 * 8)
        let last = UInt64(text.load(fromByteOffset: length - 1, as: UInt8.self)) << UInt64((length - 1) * 8)
        return UInt64(text.load(as: UInt8.self)) | middle | last
    }

    /// Whether eight bytes contain a quote, a backslash, a control character or a slash that must be escaped.
    @inline(__always)
    func needsEscape(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let escape = word ^ (ones &* 0x5C)
        let slash = word ^ (ones &* 0x2F)
        var marks = (quote &- ones) & ~quote | (escape &- ones) & ~escape | (word &- ones &* 0x20) & ~word
        if escapesSlashes { marks |= (slash &- ones) & ~slash }
        return marks & (ones &* 0x80) != 0
    }

    @inline(__always)
    private func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x2F && escapesSlashes
    }

    /// Continues a string whose opening quote and first `done` bytes are in the buffer, but not counted yet.
    @inline(never)
    private func writeEscaping(_ text: UnsafeBufferPointer<UInt8>, from done: Int) {
        count += 1 + done
        reserve((text.count - done) * 6 + 1)
        var output = bytes + count
        guard let source = text.baseAddress else { return }
        var offset = done
        while offset < text.count {
            if offset + 8 <= text.count {
                let word = UnsafeRawPointer(source + offset).loadUnaligned(as: UInt64.self)
                if !needsEscape(word) {
                    UnsafeMutableRawPointer(output).storeBytes(of: word, as: UInt64.self)
                    output += 8
                    offset += 8
                    continue
                }
            }
            let byte = source[offset]
            offset += 1
            if !needsEscape(byte) {
                output.pointee = byte
                output += 1
                continue
            }
            output[0] = 0x5C
            let letter: UInt8? =
                switch byte {
                case 0x22, 0x5C, 0x2F: byte
                case 0x08: 0x62
                case 0x0C: 0x66
                case 0x0A: 0x6E
                case 0x0D: 0x72
                case 0x09: 0x74
                default: nil
                }
            if let letter {
                output[1] = letter
                output += 2
            } else {
                let low = byte & 15
                output[1] = 0x75
                output[2] = 0x30
                output[3] = 0x30
                output[4] = 0x30 + byte >> 4
                output[5] = low < 10 ? 0x30 + low : 0x57 + low
                output += 6
            }
        }
        output.pointee = 0x22
        count = output + 1 - bytes
    }
}
