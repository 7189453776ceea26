import TestSupport
import Testing

@testable import HttpMessages

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

    /// Each text is none, or a range that is one.
    @Test func randomTextIsNoneOrARange() {
        var random = SeededRandom(seed: 14)
        let seeds = ["bytes 5-9/10", "bytes 5-9/*", "bytes */10"].map { Array($0.utf8) }
        var count = 0
        for round in 0..<20_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...3, using: &random) { bytes.damage(&random) }
            guard let range = ContentRange(String(decoding: bytes, as: UTF8.self)) else { continue }
            count += 1
            #expect(range.part != nil || range.total != nil)
            #expect(range.part?.lowerBound ?? 0 >= 0)
            #expect(range.total ?? 0 >= 0)
            if let part = range.part, let total = range.total { #expect(part.upperBound < total) }
        }
        #expect(count > 100)
    }
}
