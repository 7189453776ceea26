import Models
import TestSupport
import Testing

/// The naming of the public JSON test suites: y_ must be accepted, n_ rejected, i_ is the parser's choice. The cases
/// are written for this project, after RFC 8259.
enum Verdict {
    case yes, no
    /// Undefined by the RFC; the flag is what this parser does.
    case implementation(accepts: Bool)
}

struct JsonConformanceTests {
    static let accepted: [(String, String)] = [
        ("empty array", "[]"), ("empty object", "{}"),
        ("white space everywhere", " \t\n\r[ \t\n\r1 \t\n\r, \t\n\r2 \t\n\r] \t\n\r"),
        ("space around members", " { \"a\" : 1 , \"b\" : 2 } "), ("empty key", "{\"\":0}"),
        ("duplicate keys", "{\"a\":1,\"a\":2}"),
        ("lone null", "null"), ("lone true", "true"), ("lone false", "false"), ("lone string", "\"a\""),
        ("lone number", "42"),
        ("lone negative", "-1"), ("lone real", "-0.1"), ("empty string", "\"\""), ("space before", " 1"),
        ("space after", "1 "),
        ("zero", "0"), ("negative zero", "-0"), ("zero with fraction", "0.0"), ("zero with exponent", "0e1"),
        ("exponent", "1e5"), ("capital exponent", "1E5"), ("plus exponent", "1e+5"), ("minus exponent", "1e-5"),
        ("fraction and exponent", "123.456e78"), ("leading zeros of an exponent", "1e005"),
        ("many digits", "1234567890123456789012345678901234567890"),
        ("long fraction", "0.000000000000000000000000000000000000000000000000000000000001"),
        ("all simple escapes", #""\"\\\/\b\f\n\r\t""#), ("escaped character", #""\u0041""#),
        ("escaped NUL", #""\u0000""#),
        ("surrogate pair", #""\ud83d\ude00""#), ("capital hex", #""\uABCD\uabcd""#),
        ("escaped noncharacter", #""\uffff""#),
        ("last code point", #""\udbff\udfff""#), ("slash as it is", "\"a/b\""), ("delete character", "\"\u{7F}\""),
        ("two bytes", "\"é\""), ("three bytes", "\"€\""), ("four bytes", "\"😀\""), ("noncharacter", "\"\u{FFFF}\""),
        ("byte order mark in a string", "\"\u{FEFF}\""), ("line separators", "\"\u{2028}\u{2029}\""),
        ("last scalar", "\"\u{10FFFF}\""),
        ("nested", "[[[[[]]]]]"), ("mixed", #"{"a":[1,{"b":null}],"c":"d"}"#),
        ("array of all kinds", #"[null,true,false,0,"",[],{}]"#),
        ("escaped key", #"{"\u0061":1}"#), ("long string", "\"" + String(repeating: "x", count: 10_000) + "\""),
        ("string of seven", "\"1234567\""), ("string of eight", "\"12345678\""), ("string of nine", "\"123456789\""),
    ]

    static let rejected: [(String, String)] = [
        ("nothing", ""), ("only space", " \n"), ("open array", "["), ("open object", "{"), ("closed array", "]"),
        ("closed object", "}"),
        ("trailing comma in array", "[1,]"), ("trailing comma in object", "{\"a\":1,}"), ("leading comma", "[,1]"),
        ("double comma", "[1,,2]"),
        ("only a comma", "[,]"), ("missing comma", "[1 2]"), ("missing comma in object", "{\"a\":1 \"b\":2}"),
        ("comma in object", "{,}"),
        ("missing colon", "{\"a\" 1}"), ("double colon", "{\"a\"::1}"), ("missing value", "{\"a\":}"),
        ("missing key", "{:1}"),
        ("key without value", "{\"a\"}"), ("number as key", "{1:1}"), ("bare key", "{a:1}"),
        ("single quotes", "{'a':1}"),
        ("wrong bracket", "[1}"), ("wrong brace", "{\"a\":1]"), ("colon in array", "[1:2]"), ("two values", "1 2"),
        ("two arrays", "[][]"),
        ("garbage after", "[1]x"), ("comment", "[1]//"), ("block comment", "/**/1"), ("extra bracket", "[1]]"),
        ("extra brace", "{}}"),
        ("unclosed after value", "[1"), ("unclosed after comma", "[1,"), ("unclosed after key", "{\"a\""),
        ("unclosed after colon", "{\"a\":"),
        ("capital true", "True"), ("capital null", "NULL"), ("half true", "tru"), ("half false", "fals"),
        ("half null", "nul"),
        ("longer null", "nulll"), ("nan", "NaN"), ("infinity", "Infinity"), ("minus infinity", "-Infinity"),
        ("leading zero", "01"), ("negative leading zero", "-01"), ("leading plus", "+1"), ("leading point", ".5"),
        ("trailing point", "1."),
        ("negative trailing point", "-1."), ("no digits in exponent", "1e"), ("sign only in exponent", "1e+"),
        ("point then exponent", "1.e1"), ("double minus", "--1"),
        ("minus only", "-"), ("minus and letter", "-a"), ("hexadecimal", "0x1"), ("two points", "1.2.3"),
        ("two exponents", "1e2e3"),
        ("real exponent", "1e1.5"), ("underscore", "1_000"), ("space in number", "1 000"), ("full-width digit", "１"),
        ("unclosed string", "\"a"), ("unclosed empty string", "\""), ("quote escaped at end", "\"\\\""),
        ("unknown escape", #""\x41""#), ("escaped space", #""\ ""#),
        ("escape at end", "\"\\"), ("short unicode", #""\u12""#), ("unicode with letters", #""\u12gh""#),
        ("capital u", #""\U0041""#),
        ("lone high surrogate", #""\ud800""#), ("lone low surrogate", #""\udc00""#),
        ("high then letter", #""\ud800a""#),
        ("high then escape", #""\ud800\n""#), ("two highs", #""\ud800\ud800""#),
        ("high then plain", #""\ud800\u0041""#), ("low then high", #""\udc00\ud800""#),
        ("cut pair", #""\ud800\u""#), ("raw newline", "\"\n\""), ("raw tab", "\"\t\""), ("raw NUL", "\"\0\""),
        ("raw unit separator", "\"\u{1F}\""),
        ("NUL outside", "\0"), ("NUL after", "1\0"), ("NUL in array", "[\0]"), ("form feed", "\u{C}1"),
        ("no-break space", "\u{A0}1"),
        ("line separator outside", "\u{2028}1"), ("byte order mark", "\u{FEFF}1"), ("zero-width space", "[\u{200B}]"),
        ("star", "*"),
        ("unquoted string", "abc"), ("angle bracket", "<null>"), ("escape outside", "\\u0020"),
    ]

    static let invalidBytes: [(String, [UInt8])] = [
        ("lone continuation", [0x80]), ("lone lead", [0xC3]), ("lead then ASCII", [0xC3, 0x28]),
        ("overlong slash", [0xC0, 0xAF]),
        ("overlong in three", [0xE0, 0x80, 0xAF]), ("overlong in four", [0xF0, 0x80, 0x80, 0xAF]),
        ("surrogate", [0xED, 0xA0, 0x80]),
        ("pair of surrogates", [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]),
        ("beyond the last scalar", [0xF4, 0x90, 0x80, 0x80]), ("F5", [0xF5, 0x80, 0x80, 0x80]), ("FE", [0xFE]),
        ("FF", [0xFF]),
        ("cut after one of three", [0xE2]), ("cut after two of three", [0xE2, 0x82]),
        ("cut after three of four", [0xF0, 0x9F, 0x98]),
    ]

    @Test(arguments: accepted)
    func whatTheRfcAllowsIsAccepted(name: String, text: String) throws {
        _ = try Json(parsing: text)
    }

    @Test(arguments: rejected)
    func whatTheRfcForbidsIsRejected(name: String, text: String) {
        #expect(throws: JsonError.self) { try Json(parsing: text) }
    }

    @Test(arguments: invalidBytes)
    func invalidUtf8IsRejectedWhereverItStands(name: String, bytes: [UInt8]) {
        for filler in 0..<9 {
            let before = [UInt8](repeating: 0x61, count: filler)
            let error = thrown(JsonError.self) { try Json(parsing: [0x22] + before + bytes + before + [0x22]) }
            #expect(error?.code == .invalidUtf8)
            #expect(throws: JsonError.self) { try Json(parsing: [0x22] + before + bytes) }
            #expect(throws: JsonError.self) { try Json(parsing: [0x7B, 0x22] + before + bytes + Array("\":1}".utf8)) }
        }
        #expect(throws: JsonError.self) { try Json(parsing: bytes) }
    }

    @Test func otherEncodingsAreNotJson() {
        for bytes: [UInt8] in [
            [0x31, 0], [0, 0x31], [0xFF, 0xFE, 0x31, 0], [0xFE, 0xFF, 0, 0x31], [0x31, 0, 0, 0],
        ] {
            #expect(throws: JsonError.self) { try Json(parsing: bytes) }
        }
    }

    @Test func everyTruncationOfADocumentIsAnErrorAtItsEnd() throws {
        let text = #"{"aé":[1.5e-3,true,null,"x\u00e9\ud83d\ude00 long enough for two words"],"b":{"c":-12,"d":false}}"#
        let bytes = Array(text.utf8)
        _ = try Json(parsing: bytes)
        for length in 0..<bytes.count {
            let error = thrown(JsonError.self) { try Json(parsing: Array(bytes[..<length])) }
            #expect(error?.code == .unexpectedEnd, "cut after \(length)")
        }
    }

    @Test func everyByteInPlaceOfEveryByteNeverCrashes() {
        let bytes = Array(#"[{"a":"\u00e9é"},-1.5e3,[true,null]]"#.utf8)
        for place in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[place] = byte
                guard let json = try? Json(parsing: changed) else { continue }
                // What is accepted can be looked into and reads back as the same.
                #expect((try? Json(parsing: json.serialized())) == json)
            }
        }
    }
}
