/// A checksum of a stream of bytes: what the server keeps of a body that it discards.
///
/// FNV-1a with 64 bits over the stream's 8-byte words (little-endian, the last one filled with zeros) and then its
/// length. Words instead of bytes make gigabytes fast in a debug build too. It detects accidental differences, not
/// malicious ones.
///
///     var checksum = LoopbackChecksum()
///     checksum.update(with: bytes)
///     #expect(request.bodyChecksum == checksum.value)
package struct LoopbackChecksum: Sendable {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    private var word: UInt64 = 0
    private var count = 0

    package init() {}

    /// The checksum of all bytes so far, however they were divided.
    package var value: UInt64 {
        let last = count % 8 == 0 ? hash : Self.mix(hash, word)
        return Self.mix(last, UInt64(count))
    }

    package mutating func update(with bytes: [UInt8]) {
        bytes.withUnsafeBytes { update(with: $0) }
    }

    package mutating func update(with bytes: UnsafeRawBufferPointer) {
        var position = 0
        while position < bytes.count, count % 8 != 0 {
            add(bytes[position])
            position += 1
        }
        var hash = hash
        while position + 8 <= bytes.count {
            hash = Self.mix(hash, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
            count += 8
        }
        self.hash = hash
        while position < bytes.count {
            add(bytes[position])
            position += 1
        }
    }

    private mutating func add(_ byte: UInt8) {
        word |= UInt64(byte) << (UInt64(count % 8) * 8)
        count += 1
        if count % 8 == 0 {
            hash = Self.mix(hash, word)
            word = 0
        }
    }

    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        (hash ^ word) &* 0x100_0000_01b3
    }
}
