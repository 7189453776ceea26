/// XXH64 (xxHash specification 0.1.1), a checksum that detects damage and truncation. It is no protection against
/// someone who can write to the folder.
enum Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The checksum of the bytes. Another seed gives another checksum, so that a part of one file is none of another.
    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var position = 0
        var sum = seed &+ prime5
        if bytes.count >= 32 {
            var lanes = (
                seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1
            )
            while position + 32 <= bytes.count {
                lanes.0 = round(lanes.0, word(bytes, position))
                lanes.1 = round(lanes.1, word(bytes, position + 8))
                lanes.2 = round(lanes.2, word(bytes, position + 16))
                lanes.3 = round(lanes.3, word(bytes, position + 24))
                position += 32
            }
            sum = rotate(lanes.0, 1) &+ rotate(lanes.1, 7) &+ rotate(lanes.2, 12) &+ rotate(lanes.3, 18)
            for lane in [lanes.0, lanes.1, lanes.2, lanes.3] { sum = (sum ^ round(0, lane)) &* prime1 &+ prime4 }
        }
        sum &+= UInt64(bytes.count)
        return avalanche(rest(bytes, from: position, sum))
    }

    /// Adds the last bytes, fewer than 32.
    private static func rest(_ bytes: UnsafeRawBufferPointer, from start: Int, _ initial: UInt64) -> UInt64 {
        var position = start
        var sum = initial
        while position + 8 <= bytes.count {
            sum = rotate(sum ^ round(0, word(bytes, position)), 27) &* prime1 &+ prime4
            position += 8
        }
        if position + 4 <= bytes.count {
            let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
            sum = rotate(sum ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
            position += 4
        }
        while position < bytes.count {
            sum = rotate(sum ^ (UInt64(bytes[position]) &* prime5), 11) &* prime1
            position += 1
        }
        return sum
    }

    private static func avalanche(_ sum: UInt64) -> UInt64 {
        var sum = (sum ^ sum >> 33) &* prime2
        sum = (sum ^ sum >> 29) &* prime3
        return sum ^ sum >> 32
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value << count | value >> (64 - count)
    }
}
