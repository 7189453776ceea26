import TestSupport
import Testing

@testable import Resilience

struct TokenBucketTests {
    private let start = Duration.seconds(7)

    /// How many tokens there are at once.
    private func takeAll(_ bucket: inout TokenBucket, at time: Duration) -> Int {
        var count = 0
        while count < 1_000, bucket.take(at: start + time) { count += 1 }
        return count
    }

    @Test func tokensOfABurstThenOneEachInterval() {
        var bucket = TokenBucket(count: 50, per: .seconds(1), burst: 10)
        #expect(takeAll(&bucket, at: .zero) == 10)
        #expect(bucket.nextToken(after: start) == start + .milliseconds(20))
        #expect(takeAll(&bucket, at: .milliseconds(19)) == 0)
        #expect(takeAll(&bucket, at: .milliseconds(20)) == 1)
        #expect(takeAll(&bucket, at: .milliseconds(59)) == 1)
        #expect(takeAll(&bucket, at: .milliseconds(60)) == 1)
        #expect(takeAll(&bucket, at: .seconds(60)) == 10, "no more than a burst is kept")
    }

    @Test func withoutABurstTokensAreEvenlySpaced() {
        var bucket = TokenBucket(count: 4, per: .seconds(1), burst: 1)
        #expect([0, 100, 250, 260, 500].map { takeAll(&bucket, at: .milliseconds($0)) } == [1, 0, 1, 0, 1])
    }

    @Test func aTokenThatIsGivenBackCanBeTakenAgain() {
        var bucket = TokenBucket(count: 1, per: .seconds(1), burst: 2)
        #expect(takeAll(&bucket, at: .zero) == 2)
        bucket.giveBack()
        #expect(takeAll(&bucket, at: .zero) == 1)
        bucket.giveBack()
        bucket.giveBack()
        #expect(takeAll(&bucket, at: .zero) == 2)
    }

    @Test func aPauseEndsWhenTheLaterOfTwoEnds() {
        var bucket = TokenBucket(count: 10, per: .seconds(1), burst: 3)
        bucket.pause(until: start + .seconds(60))
        bucket.pause(until: start + .seconds(30))
        #expect(bucket.nextToken(after: start) == start + .seconds(60))
        #expect(takeAll(&bucket, at: .milliseconds(59_999)) == 0)
        #expect(takeAll(&bucket, at: .seconds(60)) == 3)
    }

    @Test func withoutATimeOnlyAPauseLimits() {
        for time in [Duration.zero, .seconds(-1)] {
            var bucket = TokenBucket(count: 1, per: time, burst: 1)
            #expect(takeAll(&bucket, at: .zero) == 1_000)
            bucket.pause(until: start + .seconds(1))
            #expect(takeAll(&bucket, at: .zero) == 0)
            #expect(takeAll(&bucket, at: .seconds(1)) == 1_000)
        }
    }

    @Test(arguments: [
        (0, Duration.seconds(1), 0), (.max, .seconds(1), .max), (.min, .seconds(Int64.max), .max),
        (1, .seconds(Int64.max), .max), (.max, .nanoseconds(1), .min),
    ])
    func noSettingTraps(count: Int, time: Duration, burst: Int) {
        var bucket = TokenBucket(count: count, per: time, burst: burst)
        #expect(takeAll(&bucket, at: .zero) >= 1)
        bucket.giveBack()
        #expect(bucket.nextToken(after: start) >= start)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func noTimeSeesMoreThanTheRateAndABurst(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let (count, burst) = (Int.random(in: 1...20, using: &random), Int.random(in: 1...10, using: &random))
        var bucket = TokenBucket(count: count, per: .seconds(1), burst: burst)
        var taken: [Int] = []
        for millisecond in 0..<5_000 where Bool.random(using: &random) {
            if bucket.take(at: start + .milliseconds(millisecond)) { taken.append(millisecond) }
        }
        for first in taken {
            #expect(taken.count { (first..<first + 1_000).contains($0) } <= count + burst)
        }
        // A token is taken when the next request comes, which is a little later.
        #expect(taken.count >= 4 * count)
    }
}
