import Testing

/// A million random inputs for what parses bytes from outside. The numbers of inputs are those of a second or two.
struct RandomInputTests {
    private static let counts = [
        ("json", 40_000), ("fast-models", 20_000), ("redaction", 3_000), ("har", 2_000),
        ("curl", 4_000), ("headers", 60_000),
        ("dates", 320_000), ("ranges", 300_000), ("retry-after", 200_000), ("query", 30_000), ("urls", 40_000),
        ("url-text", 20_000), ("multipart", 1_000), ("challenges", 60_000), ("events", 15_000), ("links", 60_000),
        ("lines", 2_000), ("elements", 4_000), ("cache-control", 60_000), ("cache-dates", 60_000),
        ("cache-policy", 20_000), ("cache-entries", 4_000),
    ]

    @Test func everyTargetHasItsInputs() {
        #expect(Self.counts.map(\.0).sorted() == fuzzTargets.keys.sorted())
        #expect(Self.counts.reduce(0) { $0 + $1.1 } >= 1_000_000)
    }

    /// A property that doesn't hold ends the process, with its name; the inputs are the same in each run.
    @Test(arguments: counts)
    func thePropertiesHoldForAnyInput(target: String, count: Int) throws {
        let target = try #require(fuzzTargets[target])
        var inputs = RandomInputs(seed: 31)
        for _ in 0..<count { inputs.next().withUnsafeBytes(target) }
        #expect(inputs.made == count)
    }

    /// Random bytes are hardly ever a model, so that documents are made of its members.
    @Test func documentsReachTheFastModels() {
        var inputs = RandomInputs(seed: 32)
        let count = 5_000
        var decoded = 0
        for _ in 0..<count { decoded += inputs.nextDocument().withUnsafeBytes(decodeFastModels) }
        #expect(decoded > count / 4, "\(decoded) models of \(count) documents")
    }
}

/// Inputs of up to eight tokens that mean something to one of the parsers, and some random bytes among them.
private struct RandomInputs {
    private static let tokens: [[UInt8]] = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\ud83d", "null", "true", "1e5", "-0", "18446744073709551616",
        "\"int\":",
        "\"list\":[", "password=", "Bearer ", "--netchain", "--", "Content-Disposition: form-data; name=", "bytes ",
        "0-9",
        "/10", "*", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "2026-03-01T12:00:00", "Z", "+02:00", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "Retry-After: ", "120", "\r\n",
        "\n ", "\r", "\0", "\t", " ", "://", "a@b://h:x", "http://user:pass@", "..",
        "/", "//",
        "?", "#", "%2F", "%25", "%", "=", "&", ";", "'", "+", "é", "W/\"a\"", "@", "[::1]", "%25eth0",
        ":80", "ü", "。", "../", "/./", "xn--",
        "Basic ", "Digest realm=", "scope=\"a b\"", "YWJj==",
        "data", "data: ", "id:", "event: ", "retry: 5", "\n\n", "\r\n\r\n", "\u{FEFF}",
        "<a>", "; rel=next", ";rel=\"x y\"", ", <b>", "; title*=UTF-8''",
        "\u{1E}", "\u{FEFF}", "{\"list\":[", "[1,2]", "]}", "\n{}\n",
        "max-age=", "no-cache", "no-store", "private=\"a\"", "must-revalidate", "stale-if-error=9", " GMT", " Aug ",
        "2050",
    ].map { Array($0.utf8) }

    private var state: UInt64
    private(set) var made = 0

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> [UInt8] {
        made += 1
        var input: [UInt8] = []
        for _ in 0..<number(below: 9) {
            if number(below: 6) == 0 {
                input.append(UInt8(number(below: 256)))
            } else {
                input += Self.tokens[number(below: Self.tokens.count)]
            }
        }
        return input
    }

    /// Members of `FastFuzzModel`, and some values that are wrong for it.
    private static let members: [String] = [
        #""int":1"#, #""int":1e0"#, #""int":"1""#, #""int":null"#, #""i\u006et":2"#, #""small":-8"#, #""small":300"#,
        #""unsigned":18446744073709551615"#, #""wide":1e2"#, #""wide":123456789012345678901234567890"#,
        #""double":-0.5e-3"#, #""double":"nan""#, #""float":1e400"#, #""float":0.1"#, #""text":"\u00e9\ud83d\ude00\n""#,
        #""text":"/""#, #""flag":true"#, #""flag":0"#, #""table":{"a":[1,2],"b":[]}"#, #""table":{"a":"x","a":[1]}"#,
        #""byInt":{"1":"x","-2":"y"}"#, #""byInt":{"x":"y"}"#, #""byInt":{"1":1,"1":"x"}"#, #""level":"low""#,
        #""level":"other""#, #""date":1"#, #""date":"2026-03-01T12:00:00Z""#, #""data":"AAEC""#, #""data":[1,2,255]"#,
        #""url":"https:\/\/a/b""#, #""uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#, #""decimal":1.25"#,
        #""json":[null,{"a":1,"a":2}]"#, #""optionals":["a",null]"#, #""unknown":{}"#, #""list":[]"#,
    ]

    /// A document of up to eight members in any order, with repeated keys and models within; sometimes with a changed
    /// byte.
    mutating func nextDocument() -> [UInt8] {
        made += 1
        var input = Array(object(levels: 2).utf8)
        if number(below: 3) == 0 { input = [0x5B] + input + [0x5D] }
        if number(below: 8) == 0 { input[number(below: input.count)] = UInt8(number(below: 256)) }
        return input
    }

    private mutating func object(levels: Int) -> String {
        var members = (0..<number(below: 9)).map { _ in Self.members[number(below: Self.members.count)] }
        if levels > 0, number(below: 2) == 0 {
            members.append("\"list\":[" + object(levels: levels - 1) + "," + object(levels: levels - 1) + "]")
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// The generator of Knuth's MMIX.
    private mutating func number(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
