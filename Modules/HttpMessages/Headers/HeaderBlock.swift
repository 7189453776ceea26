import NodeCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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

    /// Appends a field that is known to be valid.
    mutating func append(name: String, value: String) {
        if let last = bytes.last, last != 0x0A { bytes.append(0x0A) }
        bytes += name.utf8
        bytes.append(0x3A)
        bytes += value.utf8
        bytes.append(0x0A)
    }

    /// All fields in their order.
    var fields: [HttpHeaders.Field] {
        var fields: [HttpHeaders.Field] = []
        forEachField { name, value in
            fields.append(.init(name: String(decoding: name, as: UTF8.self), valueBytes: value))
            return true
        }
        return fields
    }

    /// The value of the first field of that name.
    func firstValue(of name: String) -> String? {
        var found: String?
        forEachField { other, value in
            guard other.isName(name) else { return true }
            found = HttpHeaders.Field(name: name, valueBytes: value).value
            return false
        }
        return found
    }

    /// Calls `body` with the name and the value of each field in their order, until it returns false. A line that
    /// continues the previous one (obs-fold, RFC 9112 §5.2) is joined to it with a space.
    ///
    /// The pointers are valid in `body` only. They are those of the block: with arrays of slices the ``fields`` of a usual
    /// response took 44,000 instructions, and 12,000 without.
    func forEachField(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool) {
        bytes.withUnsafeBytes { bytes in
            var open: (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)?
            /// The value and what continues it.
            var folded: [UInt8]?
            func close() -> Bool {
                guard let (name, value) = open.take() else { return true }
                guard let whole = folded.take() else { return body(name, value) }
                return whole.withUnsafeBytes { body(name, $0) }
            }
            var start = 0
            while start < bytes.count {
                let end = bytes.first(0x0A, in: start..<bytes.count) ?? bytes.count
                let line = start..<end
                start = end + 1
                if !line.isEmpty, bytes[line.lowerBound] == 0x20 || bytes[line.lowerBound] == 0x09 {
                    if let value = open?.value {
                        // Appended in place: a copy for each line would take quadratic time.
                        if folded == nil { folded = Array(value) }
                        folded?.fold(bytes.part(line).trimmed)
                    }
                } else {
                    guard close() else { return }
                    open = bytes.first(0x3A, in: line).map { colon in
                        (bytes.part(line.lowerBound..<colon).trimmed, bytes.part(colon + 1..<end).trimmed)
                    }
                }
            }
            _ = close()
        }
    }

    /// The block with the fields that `isKept` selects by their names, without white space around names and values, and
    /// each on one line.
    func keeping(_ isKept: (UnsafeRawBufferPointer) -> Bool) -> HeaderBlock {
        // No field becomes longer. The last line may have no terminator.
        let kept = [UInt8](unsafeUninitializedCapacity: bytes.count + 1) { buffer, count in
            func append(_ part: UnsafeRawBufferPointer, _ end: UInt8) {
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                    .copyMemory(from: part)
                buffer[count + part.count] = end
                count += part.count + 1
            }
            forEachField { name, value in
                if isKept(name) {
                    append(name, 0x3A)
                    append(value, 0x0A)
                }
                return true
            }
        }
        return HeaderBlock(bytes: kept)
    }
}

extension [UInt8] {
    /// Appends the value of a continuation line, separated by one space unless either part is empty.
    fileprivate mutating func fold(_ line: UnsafeRawBufferPointer) {
        if !isEmpty, !line.isEmpty { append(0x20) }
        append(contentsOf: line)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes are the name of a field, in any case.
    fileprivate func isName(_ name: String) -> Bool {
        count == name.utf8.count && elementsEqual(name.utf8) { $0.lowercased == $1.lowercased }
    }

    /// The position of the first such byte. By memchr(3), which compares several bytes at once: a loop took four times the
    /// instructions for the fields of a response.
    package func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
        guard let baseAddress, !range.isEmpty else { return nil }
        let found = memchr(baseAddress + range.lowerBound, Int32(byte), range.count)
        return found.map { UnsafeRawPointer($0) - baseAddress }
    }

    fileprivate func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Without spaces, tabs and carriage returns at both ends.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        var (start, end) = (0, count)
        while start < end, self[start].isSpaceOrReturn { start += 1 }
        while start < end, self[end - 1].isSpaceOrReturn { end -= 1 }
        return part(start..<end)
    }
}

extension UInt8 {
    fileprivate var isSpaceOrReturn: Bool { self == 0x20 || self == 0x09 || self == 0x0D }
}
