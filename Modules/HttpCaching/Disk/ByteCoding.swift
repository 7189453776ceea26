/// Appends numbers and texts to bytes.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends the length and the bytes.
    mutating func append(counted content: some Collection<UInt8>) {
        append(UInt32(content.count))
        bytes.append(contentsOf: content)
    }
}

/// Reads what ``ByteWriter`` has written. Each function returns nil where the bytes don't suffice.
struct ByteReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
        bytes(MemoryLayout<Number>.size).map { Number(littleEndian: $0.loadUnaligned(as: type)) }
    }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    mutating func counted() -> UnsafeRawBufferPointer? {
        integer(UInt32.self).flatMap { bytes(Int(clamping: $0)) }
    }

    /// Text of valid UTF-8 with its length.
    mutating func text() -> String? {
        counted().flatMap { String(validating: $0, as: UTF8.self) }
    }
}
