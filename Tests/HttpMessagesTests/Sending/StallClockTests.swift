import HttpMessages
import Testing

struct StallClockTests {
    /// When a transfer stalls whose bytes are counted at each check, in seconds; nil if it doesn't within 200 s.
    private func stall(
        limit: Double, least: Int = 1, every interval: Double, waits: Bool = false, _ bytes: (Double) -> Int64
    ) throws -> Double? {
        var clock = try #require(StallClock(limit: .seconds(limit), leastBytesPerSecond: least))
        var time = 0.0
        while time < 200 {
            time += interval
            if clock.isStalled(bytes: bytes(time), waits: waits, after: .seconds(time)) { return time }
        }
        return nil
    }

    /// A check is never early, and may be late.
    @Test(arguments: [1, 1.001, 1.4, 1.999, 3.5]) func aByteASecondIsNoStall(interval: Double) throws {
        #expect(try stall(limit: 60, every: interval) { Int64($0) } == nil)
    }

    @Test func whatMovesNoByteStalls() throws {
        #expect(try stall(limit: 60, every: 1) { _ in 0 } == 60)
        #expect(try stall(limit: 60, every: 1) { $0 < 10 ? Int64($0) : 9 } == 69)
        #expect(try stall(limit: 60, every: 1, waits: true) { _ in 0 } == nil, "it waits for the application")
    }

    @Test func whatIsSlowerThanTheLeastStalls() throws {
        #expect(try stall(limit: 2, least: 10_000, every: 0.5) { Int64($0 * 9_000) } == 2)
        #expect(try stall(limit: 2, least: 10_000, every: 0.5) { Int64($0 * 10_000) } == nil)
    }

    /// The owner checks for other transfers, too. A server sends a little once a minute.
    @Test func aFewBytesBetweenTwoFrequentChecksAreNotTheLeast() throws {
        #expect(try stall(limit: 60, least: 1_000, every: 0.0625) { Int64($0 / 50) * 70 } == 60.0625)
    }

    /// The first check is at the time of the other transfers' checks, and the next ones follow after whole intervals.
    @Test func theFirstCheckMayBeEarly() throws {
        var clock = try #require(StallClock(limit: .seconds(60), leastBytesPerSecond: 1_000))
        func isStalled(bytes: Int64, after seconds: Double) -> Bool {
            clock.isStalled(bytes: bytes, waits: false, after: .seconds(seconds))
        }
        #expect(clock.nextCheck == .seconds(1))
        #expect(!isStalled(bytes: 0, after: 0.25))
        #expect(clock.nextCheck == .seconds(1.25))
        #expect(!isStalled(bytes: 1, after: 0.5))
        #expect(clock.nextCheck == .seconds(1.25))
        for second in 1..<60 { #expect(!isStalled(bytes: 1, after: Double(second) + 0.25)) }
        #expect(isStalled(bytes: 1, after: 60.25))
    }

    @Test(arguments: [(60.0, 1.0), (2, 0.5), (0.1, 0.025), (0.001, 0.01)])
    func aCheckFollowsAfterAQuarterOfTheLimitOrASecond(limit: Double, interval: Double) throws {
        #expect(try #require(StallClock(limit: .seconds(limit))).interval == .seconds(interval))
    }
}
