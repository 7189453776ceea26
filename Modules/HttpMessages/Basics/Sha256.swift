/// The SHA-256 digest (FIPS 180-4 §6.2, RFC 6234), for the scheme Digest and the names of sessions in a cache.
///
/// Written here because the package has no dependency and Foundation has no hash functions.
package enum Sha256 {
    /// The digest of `message`, 32 bytes.
    package static func digest(_ message: some Collection<UInt8>) -> [UInt8] {
        var state: [UInt32] = [
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        ]
        let bytes = HashPadding.padded(message, lengthIsBigEndian: true)
        for start in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { (word: Int) -> UInt32 in
                (0..<4).reduce(0) { (sum: UInt32, index: Int) -> UInt32 in
                    sum << 8 | UInt32(bytes[start + word * 4 + index])
                }
            }
            for index in 16..<64 {
                let (early, late) = (words[index - 15], words[index - 2])
                let small: UInt32 = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
                let large: UInt32 = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
                words.append(words[index - 16] &+ words[index - 7] &+ small &+ large)
            }
            var h = state
            for index in 0..<64 {
                let choice: UInt32 = (h[4] & h[5]) ^ (~h[4] & h[6])
                let majority: UInt32 = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2])
                let mixed4: UInt32 = rotated(h[4], 6) ^ rotated(h[4], 11) ^ rotated(h[4], 25)
                let mixed0: UInt32 = rotated(h[0], 2) ^ rotated(h[0], 13) ^ rotated(h[0], 22)
                let first: UInt32 = h[7] &+ mixed4 &+ choice &+ constants[index] &+ words[index]
                let second: UInt32 = mixed0 &+ majority
                h = [first &+ second, h[0], h[1], h[2], h[3] &+ first, h[4], h[5], h[6]]
            }
            state = zip(state, h).map { $0 &+ $1 }
        }
        return state.flatMap { word in
            (0..<4).map { (index: Int) -> UInt8 in UInt8(truncatingIfNeeded: word >> UInt32(24 - index * 8)) }
        }
    }

    /// The keyed hash HMAC-SHA-256 (RFC 2104 §2), 32 bytes. The key is at most 64 bytes.
    package static func keyed(_ message: some Collection<UInt8>, by key: [UInt8]) -> [UInt8] {
        let block = key.prefix(64) + [UInt8](repeating: 0, count: max(0, 64 - key.count))
        let inner = digest(block.map { $0 ^ 0x36 } + Array(message))
        return digest(block.map { $0 ^ 0x5C } + inner)
    }

    private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

/// What MD5 and SHA-256 have in common.
package enum HashPadding {
    /// The message, a bit 1, zeros, and its length in bits: whole blocks of 64 bytes (RFC 1321 §3.1, FIPS 180-4 §5.1.1).
    package static func padded(_ message: some Collection<UInt8>, lengthIsBigEndian: Bool) -> [UInt8] {
        var bytes = Array(message) + [0x80]
        let bits = UInt64(bytes.count - 1) * 8
        bytes += [UInt8](repeating: 0, count: (120 - bytes.count % 64) % 64)
        let length = (0..<8).map { (index: Int) -> UInt8 in UInt8(truncatingIfNeeded: bits >> UInt64(index * 8)) }
        return bytes + (lengthIsBigEndian ? length.reversed() : length)
    }
}
