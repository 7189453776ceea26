import EventStreams
import Foundation
import HttpMessages
import Models
import TestSupport
import Testing

struct ByteStreamLinesTests {
    private struct Row: Decodable, Sendable, Equatable {
        let id: Int
    }

    private func all<Value: Sendable>(_ values: ValueStream<Value>) async throws -> [Value] {
        var all: [Value] = []
        for try await value in values { all.append(value) }
        return all
    }

    private func body(_ text: String) -> ByteStream { ByteStream(Data(text.utf8)) }

    @Test(arguments: [
        ("a\nb\r\nc", ["a", "b", "c"]), ("", []), ("\n\n", ["", ""]), ("\u{FEFF}a", ["a"]), ("a\rb\n", ["a\rb"]),
    ])
    func linesAreText(text: String, expected: [String]) async throws {
        #expect(try await all(body(text).lines) == expected)
    }

    @Test func invalidBytesAreReplaced() async throws {
        #expect(try await all(ByteStream(Data([0x61, 0xFF, 0x0A])).lines) == ["a\u{FFFD}"])
    }

    @Test func aLineIsBounded() async throws {
        #expect(try await all(body("a\n123\n").lines(limit: 3)) == ["a", "123"])
        let error = await thrown(ValueStreamError.self) { try await all(body("a\n1234\n").lines(limit: 3)) }
        #expect(error?.reason == "Line 2 is longer than 3 bytes, the limit of the stream.")
        let long = await thrown(ValueStreamError.self) {
            try await all(body(String(repeating: "a", count: 1 << 20 + 1)).lines)
        }
        #expect(long?.code == .lineTooLong)
    }

    @Test(arguments: [
        "{\"id\":1}\n{\"id\":2}\n", "{\"id\":1}\r\n\r\n  \n{\"id\":2}", "\n{\"id\": 1}\n\t\n {\"id\":2} \n\n",
    ])
    func blankLinesAreSkipped(text: String) async throws {
        #expect(try await all(body(text).lines(of: Row.self)) == [Row(id: 1), Row(id: 2)])
    }

    @Test func anErrorNamesTheLine() async throws {
        let rows = body("{\"id\":1}\n\n{\"id\":\"x\"}\n").lines(of: Row.self).makeAsyncIterator()
        #expect(try await rows.next() == Row(id: 1))
        let error = await thrown(DecodingError.self) { try await rows.next() }
        #expect("\(error as Any)".contains("In line 3"))
        // It is thrown again.
        #expect(await thrown(DecodingError.self) { try await rows.next() } != nil)
    }
}
