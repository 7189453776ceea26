import Testing

@testable import UrlTransport

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
}
