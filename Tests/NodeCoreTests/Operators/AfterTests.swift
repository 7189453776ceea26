import NodeCore
import Testing

struct AfterTests {
    @Test(arguments: [Duration.milliseconds(1), .zero, .seconds(-1), .seconds(Int64.min)])
    func itCompletes(delay: Duration) async throws {
        try await Observer.after(delay).value
    }

    @Test func itTakesTheTime() async throws {
        let start = ContinuousClock.now
        try await Observer.after(.milliseconds(50)).value
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test func aCancelEndsItHoweverLongItIs() {
        let wait = Observer.after(.seconds(Int64.max))
        wait.cancel()
        #expect(wait.outcome?.isCanceled == true)
    }
}
