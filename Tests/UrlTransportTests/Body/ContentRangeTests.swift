import Testing

@testable import UrlTransport

struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 5-9/10", 5...9, 10), ("BYTES 0-0/1", 0...0, 1), ("bytes 5-9/*", 5...9, nil),
            ("bytes */10", nil, 10),
        ] as [(String, ClosedRange<Int64>?, Int64?)])
    func rangesAreRead(text: String, part: ClosedRange<Int64>?, total: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect((range.part, range.total) == (part, total))
    }

    @Test(arguments: [
        "", "bytes", "5-9/10", "items 5-9/10", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes */*", "bytes -9/10",
        "bytes 5-/10", "bytes 5-9/", "bytes +5-9/10", "bytes 5-9/10/11", "bytes 5-99999999999999999999/*",
    ])
    func whatIsNoneIsNone(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
