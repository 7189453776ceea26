import EventStreams
import Foundation
import Models
import TestSupport
import Testing

/// JSON text sequences (RFC 7464). `␞` stands for RS.
struct JsonSequenceParserTests {
    private func records(_ text: String, limit: Int = 100) throws -> [Json] {
        let bytes = Data(text.replacing("␞", with: "\u{1E}").utf8)
        let results = [max(1, bytes.count), 1, 2].map { size in
            Result { try records(bytes, piece: size, limit: limit) }
        }
        let texts = results.map { "\($0)" }
        #expect(texts.allSatisfy { $0 == texts[0] }, "\(texts)")
        return try results[0].get()
    }

    private func records(_ bytes: Data, piece: Int, limit: Int) throws -> [Json] {
        var parser = JsonSequenceParser(
            RowDecoder(decoding: Json.self, by: .default, of: "GET https://a/b"), limit: limit)
        var records: [Json] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            parser.push(bytes[start..<min(start + piece, bytes.count)])
            while let record = try parser.next() { records.append(record) }
        }
        if let last = try parser.finish() { records.append(last) }
        return records
    }

    @Test(
        arguments: [
            ("", []), ("␞1\n", [1]), ("␞1\n␞\"a\"\n", [1, "a"]), ("␞␞␞1\n␞\n␞2\n␞", [1, 2]),
            ("␞{\n  \"a\": [1,\n 2]\n}\n␞[]\n", [["a": [1, 2]], []]), ("␞true ␞null\t", [true, .null]),
            // An array, an object or a string needs nothing after it.
            ("␞{}␞[]␞\"\"", [[:], [], ""]), ("\n␞1\r\n", [1]),
        ] as [(String, [Json])])
    func recordsBeginWithASeparator(text: String, expected: [Json]) throws {
        #expect(try records(text) == expected)
    }

    @Test(arguments: [("␞1\n␞12", 2), ("␞true", 1), ("␞\"a", 1), ("␞1\n␞[1,2", 2)])
    func aBodyThatEndsInsideOfARecordIsIncomplete(text: String, record: Int) throws {
        let error = thrown(ValueStreamError.self) { try records(text) }
        #expect(error?.code == .incomplete)
        #expect(error?.reason == "The body ended inside of record \(record).")
        #expect(error?.request == "GET https://a/b")
    }

    @Test(arguments: [
        ("1\n", "The sequence doesn't begin with a record separator (U+001E)."),
        ("␞1\n2\n", "Record 1 has more than one JSON text."),
        ("␞x\n", "Record 1 doesn't begin as a JSON text does."),
        ("␞1,\n", "Record 1 has a number or literal without white space after it."),
        ("␞1␞2\n", "Another record begins inside of record 1."),
        ("␞{\"a\":␞1\n", "Another record begins inside of record 1."),
        ("␞\"a␞b\"\n", "Another record begins inside of record 1."),
    ])
    func whatIsNoSequenceIsAnError(text: String, reason: String) throws {
        let error = thrown(ValueStreamError.self) { try records(text) }
        #expect(error?.code == .invalidJson)
        #expect(error?.reason == reason)
    }

    @Test func aRecordIsDeliveredBeforeTheNextOne() throws {
        var parser = JsonSequenceParser(RowDecoder(decoding: Json.self, by: .default, of: nil), limit: 100)
        parser.push(Data("\u{1E}{\"a\":1}\n".utf8))
        #expect(try parser.next() == ["a": 1])
        parser.push(Data("\u{1E}7\n".utf8))
        #expect(try parser.next() == 7)
        #expect(try parser.next() == nil)
    }

    @Test func aMalformedRecordIsADecodingErrorThatNamesIt() throws {
        let error = thrown(DecodingError.self) { try records("␞1\n␞{\"a\":tru}\n") }
        #expect("\(error as Any)".contains("In record 2 of the response to GET https://a/b"))
    }

    @Test func aRecordIsBounded() throws {
        #expect(try records("␞\"1234\"\n", limit: 6) == ["1234"])
        let error = thrown(ValueStreamError.self) { try records("␞\"1234\"\n", limit: 5) }
        #expect(error?.code == .elementTooLong)
        #expect(error?.reason == "Record 1 is longer than 5 bytes, the limit of the stream.")
    }
}
