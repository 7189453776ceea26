import Testing

@testable import HttpMessages

struct HeaderBlockTests {
    private static func headers(_ text: String) -> HttpHeaders {
        HttpHeaders(block: HeaderBlock(bytes: Array(text.utf8)))
    }

    @Test(arguments: [
        ("A: 1\r\n 2\r\n\t3\r\nB: 4\r\n", "1 2 3"), ("A:\r\n 1\r\n", "1"), ("A: 1\r\n  \r\n 2\r\n", "1 2"),
        ("A: 1\r\n \r\n", "1"), ("A: \r\n \r\n", ""), (" 0\r\nA: 1\r\n", "1"),
    ])
    func aFoldedValueIsJoinedBySingleSpaces(text: String, value: String) {
        let headers = Self.headers(text)
        #expect(headers["a"] == value)
        #expect(headers.fields.first { $0.name == "A" }?.value == value)
    }

    @Test func aLineThatIsNoFieldTakesItsContinuationWithIt() {
        let headers = Self.headers("A: 1\r\nno field\r\n 2\r\nB: 3\r\n")
        #expect(headers == ["A": "1", "B": "3"])
        #expect(headers["A"] == "1")
    }

    @Test func foldingTakesLinearTime() {
        let headers = Self.headers("A: 1\r\n" + String(repeating: " 2\r\n", count: 1_000_000))
        var value: String?
        let time = ContinuousClock().measure { value = headers["A"] }
        #expect(value?.utf8.count == 2_000_001)
        #expect(time < .seconds(20))
    }

    /// RFC 9110 §5.5: historically a value was Latin-1.
    @Test(
        arguments: [
            ([0xE9], "é"), ([0x61, 0xC3, 0xA9, 0x62], "aéb"), ([0xC3, 0xA9, 0xE9], "Ã©é"), ([0x80, 0xFF], "\u{80}ÿ"),
            ([0xE9, 0x0D, 0x0A, 0x20, 0xC3, 0xA9], "é Ã©"),
        ] as [([UInt8], String)])
    func aValueThatIsNotUtf8IsReadAsLatin1(bytes: [UInt8], value: String) throws {
        let headers = HttpHeaders(block: HeaderBlock(bytes: Array("A: ".utf8) + bytes + Array("\r\nB: 1\r\n".utf8)))
        #expect(headers["a"] == value)
        #expect(headers == ["A": value, "B": "1"])
        let unfolded = bytes.filter { $0 != 0x0D && $0 != 0x0A }
        #expect(headers.fields.first?.valueBytes == unfolded)
    }

    /// Otherwise the low bytes of its characters would be sent, and could be line breaks.
    @Test func aChangedValueIsNotLatin1() throws {
        var field = HttpHeaders.Field(name: "A", valueBytes: [0xE9])
        field.value = "\u{10D}\u{10A}é"
        #expect(field.valueBytes == Array("\u{10D}\u{10A}é".utf8))
    }
}
