import Models
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct JsonErrorTests {
    @Test(arguments: [
        ("", JsonError.Code.unexpectedEnd, 0, 1, 1), ("[1,\n 2,\n  x]", .unexpectedCharacter, 10, 3, 3),
        ("[1] 2", .trailingCharacters, 4, 1, 5),
        ("[01]", .invalidNumber, 2, 1, 3), ("[1.]", .invalidNumber, 3, 1, 4), ("[-]", .invalidNumber, 2, 1, 3),
        ("1e", .unexpectedEnd, 2, 1, 3),
        (#"["a\qb"]"#, .invalidEscape, 3, 1, 4), (#"["\u12G4"]"#, .invalidEscape, 6, 1, 7),
        (#"["\ud800"]"#, .loneSurrogate, 2, 1, 3),
        ("[\"a\nb\"]", .controlCharacter, 3, 1, 4), ("[\"a\0b\"]", .controlCharacter, 3, 1, 4),
        ("\u{FEFF}[]", .byteOrderMark, 0, 1, 1),
        ("{\"a\":1,}", .unexpectedCharacter, 7, 1, 8), ("[1,]", .unexpectedCharacter, 3, 1, 4),
        ("nulx", .unexpectedCharacter, 3, 1, 4),
        ("[tru", .unexpectedEnd, 4, 1, 5), ("{\"a\"", .unexpectedEnd, 4, 1, 5), ("\"abc", .unexpectedEnd, 4, 1, 5),
    ])
    func anErrorTellsWhatAndWhere(text: String, code: JsonError.Code, offset: Int, line: Int, column: Int) {
        let error = thrown(JsonError.self) { try Json(parsing: text) }
        #expect(error?.code == code)
        #expect(error?.offset == offset)
        #expect(error?.line == line)
        #expect(error?.column == column)
    }

    @Test func theDescriptionNamesThePlaceAndShowsNothingOfTheDocument() {
        let error = thrown(JsonError.self) { try Json(parsing: "{\n\"password\": secret}") }
        #expect(error?.description == "Invalid JSON: unexpected character at line 2, column 13 (byte 14)")
    }

    @Test func depthIsLimited() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try Json(parsing: nested(512))
        let error = thrown(JsonError.self) { try Json(parsing: nested(513)) }
        #expect(error?.code == .tooDeep)
        #expect(error?.offset == 512)
        _ = try Json(parsing: "[[1]]", limits: JsonLimits(maximumDepth: 2))
        #expect(throws: JsonError.self) { try Json(parsing: "[[[1]]]", limits: JsonLimits(maximumDepth: 2)) }
        _ = try Json(parsing: "[[],[],[{}]]", limits: JsonLimits(maximumDepth: 3))
        _ = try Json(parsing: "1", limits: JsonLimits(maximumDepth: 0))
    }

    @Test func aMillionBracketsAreAnErrorAndNoOverflow() {
        for text in ["[", "{\"a\":", "[{\"a\":"] {
            let error = thrown(JsonError.self) { try Json(parsing: String(repeating: text, count: 1_000_000)) }
            #expect(error?.code == .tooDeep)
            let unlimited = JsonLimits(maximumDepth: .max)
            #expect(throws: JsonError.self) {
                try Json(parsing: String(repeating: text, count: 1_000_000), limits: unlimited)
            }
        }
    }

    @Test func sizeIsLimited() throws {
        let limits = JsonLimits(maximumBytes: 5)
        _ = try Json(parsing: "[1,2]", limits: limits)
        let error = thrown(JsonError.self) { try Json(parsing: "[1,2] ", limits: limits) }
        #expect(error?.code == .tooLarge)
    }

    @Test func theDecoderHandsTheErrorOn() throws {
        var decoder = JsonDecoder()
        decoder.limits.maximumDepth = 1
        for (text, code) in [("[1,", JsonError.Code.unexpectedEnd), ("[[1]]", .tooDeep)] {
            let error = thrown(DecodingError.self) { try decoder.decode([Int].self, from: Data(text.utf8)) }
            guard case .dataCorrupted(let context) = error else { throw try #require(error) }
            #expect((context.underlyingError as? JsonError)?.code == code)
            #expect(context.codingPath.isEmpty)
        }
    }

    @Test func aTypeMayEncodeSomethingElseInPlaceOfADecimalThatIsNoNumber() throws {
        struct Amount: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                do { try container.encode(Decimal.nan) } catch { try container.encode("none") }
            }
        }
        #expect(String(decoding: try JsonEncoder().encode([Amount()]), as: UTF8.self) == #"["none"]"#)
    }
}
