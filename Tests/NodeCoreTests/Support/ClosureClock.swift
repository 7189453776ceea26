import NodeCore

/// A clock whose delays are what a closure makes of them.
struct ClosureClock: ChainClock {
    let delay: @Sendable (Duration) -> Observer<Void>

    init(_ delay: @escaping @Sendable (Duration) -> Observer<Void>) {
        self.delay = delay
    }

    var now: ContinuousClock.Instant { .now }

    func wait(for delay: Duration) -> Observer<Void> { self.delay(delay) }
}
