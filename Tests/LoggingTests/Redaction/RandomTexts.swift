/// Random texts, the same for the same seed: tokens that matter to the scanners and letters that don't.
struct RandomTexts {
    private var generator: SplitMix64
    private let tokens: [[UInt8]]

    init(seed: UInt64) {
        generator = SplitMix64(state: seed)
        let plain = [
            "://", "//", "/", "@", ":", ";", "?", "=", "&", "#", "%25", "%", "%2", "%3A", "%40", "+", "\"", "'", "\\",
            "\\\"", "\\u", "\\u0041", "\\ud83d", "{", "}", "[", "]", "(", ")", "<", ">", ",", ".", "-", "--", "-----",
            "\r\n",
            "\n", "\r", "\t", " ", "  ", "a", "b1", "x", "http", "name", "value", "null", "12", "é", "日本", "😀",
            "e\u{301}",
        ]
        let secret = [
            "token", "password", "Cookie: ", "Authorization:", "bearer ", "Basic ", "form-data; ", "name=", "name*=",
            "Content-Disposition: ", "-----BEGIN ", "-----END ", "PRIVATE KEY-----", "eyJhbGciOiJIUzI1NiJ9.", "API key",
            "\"name\":", "\"value\":", "--b", "code=", "tokens",
        ]
        let broken: [[UInt8]] = [
            [0], [0x7F], [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F], [0xFF], [0xED, 0xA0, 0x80],
        ]
        tokens = (plain + secret).map { Array($0.utf8) } + broken
    }

    mutating func bytes(tokens count: ClosedRange<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<number(in: count) { bytes += tokens[number(in: 0...(tokens.count - 1))] }
        return bytes
    }

    mutating func text(tokens count: ClosedRange<Int>) -> String {
        String(decoding: bytes(tokens: count), as: UTF8.self)
    }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(generator.next() % UInt64(range.count))
    }
}

/// A generator whose numbers depend on the seed alone (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators").
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
