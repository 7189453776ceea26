import EventStreams
import Foundation
import TestSupport
import Testing

struct LineSplitterTests {
    /// Lines of a text that arrives in pieces, which `|` separates.
    private func lines(_ text: String, _ ending: LineSplitter.Ending, limit: Int = 100) throws -> [String] {
        var splitter = LineSplitter(ending, limit: limit)
        var lines: [String] = []
        for piece in text.split(separator: "|", omittingEmptySubsequences: false) {
            splitter.push(Data(piece.utf8))
            while let line = try splitter.next({ String(decoding: $0, as: UTF8.self) }) { lines.append(line) }
        }
        if let last = try splitter.last({ String(decoding: $0, as: UTF8.self) }) { lines.append(last) }
        return lines
    }

    @Test(arguments: [
        ("a\nb\n", ["a", "b"]),
        ("a\r\nb", ["a", "b"]),
        ("a\r|\nb", ["a", "b"]),
        ("|a||b|\n|\nc|", ["ab", "", "c"]),
        ("a\rb\n", ["a\rb"]),
        ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]),
        ("", []),
        ("\n", [""]),
    ])
    func linesEndWithALineFeed(text: String, expected: [String]) throws {
        #expect(try lines(text, .lineFeed) == expected)
    }

    @Test(arguments: [
        ("a\rb\r\nc\nd", ["a", "b", "c", "d"]),
        ("a\r|\nb\r|c\r|\r|\n\n", ["a", "b", "c", "", ""]),
        ("\r|\n|\r", ["", ""]),
        ("\r\r\n\n", ["", "", ""]),
    ])
    func linesEndInThreeWays(text: String, expected: [String]) throws {
        #expect(try lines(text, .any) == expected)
    }

    @Test func aByteOrderMarkMayArriveInPieces() throws {
        var splitter = LineSplitter(.any, limit: 10)
        for bytes in [[0xEF], [0xBB], [0xBF, 0x61], [0x0A]] as [[UInt8]] {
            splitter.push(Data(bytes))
            let line = try splitter.next { Array($0) }
            #expect(line == (bytes == [0x0A] ? [0x61] : nil))
        }
    }

    @Test(arguments: ["1234\n", "12|34\n", "1234\r\n", "12|34|\r\n"])
    func aLineMayBeAsLongAsTheLimit(text: String) throws {
        #expect(try lines(text, .lineFeed, limit: 4) == ["1234"])
        #expect(throws: ValueStreamError.self) { try lines(text, .lineFeed, limit: 3) }
    }

    @Test func aLineWithoutEndIsBounded() throws {
        var splitter = LineSplitter(.any, limit: 1_000)
        let error = thrown(ValueStreamError.self) {
            for _ in 0..<20 {
                splitter.push(Data(repeating: 0x61, count: 100))
                _ = try splitter.next { $0.count }
            }
        }
        #expect(error?.code == .lineTooLong)
        #expect(error?.description == "A line is longer than 1000 bytes, the limit of the stream. [lineTooLong]")
    }
}
