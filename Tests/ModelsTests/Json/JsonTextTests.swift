import Models
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Texts and keys of any length and at any place of a document.
struct JsonTextTests {
    /// Swift keeps up to 15 bytes in the `String` itself.
    @Test(arguments: 0...20)
    func textOfAnyLengthIsReadAndGoesOnAsAnyString(length: Int) throws {
        for filler in ["a", "~", "\u{7F}", "é", "漢", "👍", "\u{0}", "\""] {
            for tail in ["", "é", "\u{301}"] {
                let text = String(repeating: filler, count: length) + tail
                let data = try JsonEncoder().encode([text, text])
                var read = try #require(try JsonDecoder().decode([String].self, from: data).last)
                #expect(read == text)
                #expect(read.utf8.elementsEqual(text.utf8))
                #expect(read.hashValue == text.hashValue)
                #expect(read.unicodeScalars.count == text.unicodeScalars.count)
                read += "b"
                #expect(read == text + "b")
                let keyed = try JsonDecoder().decode([String: String].self, from: JsonEncoder().encode([text: text]))
                #expect(keyed == [text: text])
            }
        }
    }

    /// The keys of an object that is sorted when it ends are read where they were written.
    @Test(arguments: [2, 400, 495, 500, 600, 1010, 1013, 2_000, 5_000])
    func membersAreSortedBehindALargeOne(size: Int) throws {
        struct Large: Encodable {
            enum Key: CodingKey { case b, a, y }
            let size: Int

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .b)
                try container.encode(1, forKey: .y)
                try container.encode(2, forKey: .a)
                try nested.encode(String(repeating: "x", count: size), forKey: .a)
            }
        }
        var encoder = JsonEncoder()
        encoder.outputFormatting = .sortedKeys
        for extra in 0..<16 {
            let text = String(decoding: try encoder.encode(Large(size: size + extra)), as: UTF8.self)
            #expect(text == #"{"a":2,"b":{"a":"\#(String(repeating: "x", count: size + extra))"},"y":1}"#)
        }
    }

    @Test func deepValuesAreReadAgainAndAgain() throws {
        final class Level: Codable, Sendable {
            let name: String
            let next: [Level]

            init(_ depth: Int) {
                name = "level \(depth)"
                next = depth == 0 ? [] : [Level(depth - 1)]
            }

            var names: [String] { [name] + (next.first?.names ?? []) }
        }
        for depth in [40, 3, 16, 17, 40] {
            let data = try JsonEncoder().encode([Level(depth), Level(depth)])
            var snake = JsonDecoder()
            snake.keyDecodingStrategy = .convertFromSnakeCase
            for decoder in [JsonDecoder(), snake, JsonDecoder()] {
                let read = try decoder.decode([Level].self, from: data)
                #expect(read.map(\.names) == [Level(depth).names, Level(depth).names])
            }
        }
    }
}
