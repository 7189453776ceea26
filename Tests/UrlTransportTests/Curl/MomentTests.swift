#if os(Linux)
import Testing

@testable import UrlTransport

struct MomentTests {
    @Test func aMomentIsAsFarAwayAsItWasSaidToBe() {
        for duration in [Duration.seconds(100), .milliseconds(5), .zero, .seconds(-3), .nanoseconds(1)] {
            let before = ContinuousClock.now
            let moment = Moment.now + duration
            let distance = moment.distance
            #expect(distance <= duration)
            #expect(distance >= duration - (ContinuousClock.now - before))
        }
    }

    @Test func whatLiesTooFarAheadOrBehindIsAsFarAsItMayBe() {
        let now = Moment.now
        #expect(now + .seconds(Int64.max) > now + .seconds(1 << 31))
        #expect((now + .seconds(Int64.min)).nanoseconds == 0)
        #expect(now + .seconds(1e19) > now + .seconds(1 << 31))
        #expect((now + .seconds(-1e19)).nanoseconds == 0)
        #expect(now + .seconds(-1) < now)
    }
}
#endif
