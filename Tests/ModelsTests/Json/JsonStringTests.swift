import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Strings of every length, because short and long ones are created in different ways.
struct JsonStringTests {
    private struct Holder: Decodable { let text: String }

    @Test(arguments: ["a", "é", "\u{0301}", "€", "😀", "\"", "\u{1}", "e\u{0301}"])
    func aStringOfAnyLengthIsItsText(character: String) throws {
        for length in 0...300 {
            for place in [0, length / 2, length] {
                var text = String(repeating: "x", count: length)
                text.insert(contentsOf: character, at: text.index(text.startIndex, offsetBy: place))
                let data = try JsonEncoder().encode([text])
                // At the end of a document, in an array, as a member, and written with escapes.
                let decoded = [
                    try JsonDecoder().decode(String.self, from: JsonEncoder().encode(text)),
                    try JsonDecoder().decode([String].self, from: data)[0],
                    try JsonDecoder().decode(
                        Holder.self, from: Data(#"{"text":"#.utf8) + data[1..<data.count - 1] + Data("}".utf8)
                    ).text,
                    try #require(try Json(parsing: data)[0]?.string),
                    try JsonDecoder().decode(String.self, from: Data(Self.escaped(text).utf8)),
                ]
                for other in decoded {
                    #expect(other == text && other.hashValue == text.hashValue)
                    #expect(other.utf8.elementsEqual(text.utf8))
                    #expect(other.count == text.count)
                }
            }
        }
    }

    private static func escaped(_ text: String) -> String {
        let units = text.utf16.map {
            "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16)
        }
        return "\"\(units.joined())\""
    }

    @Test func invalidUtf8IsNeverAString() {
        let wrong: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82],
            [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ]
        for bytes in wrong {
            for length in [0, 3, 14, 15, 16, 40, 300] {
                let filler = [UInt8](repeating: 0x78, count: length)
                let escape: [UInt8] = [0x5C, 0x6E]
                let texts: [[UInt8]] = [
                    bytes + filler, filler + bytes, filler + bytes + filler, filler + escape + bytes,
                ]
                for text in texts {
                    #expect(throws: DecodingError.self, "\(text)") {
                        try JsonDecoder().decode(String.self, from: Data([0x22] + text + [0x22]))
                    }
                }
            }
        }
    }
}
