/// Where delays and time limits have their time from. ``SystemClock`` is the usual one; a test gives one that it turns, such
/// as `TestClock` of NetChainTestKit.
public protocol ChainClock: Sendable {
    /// What time it is.
    var now: ContinuousClock.Instant { get }

    /// Completes after `delay`, on any thread; a cancel ends it at once. A delay that isn't longer than zero is over at
    /// once.
    func wait(for delay: Duration) -> Observer<Void>
}

extension ChainClock where Self == SystemClock {
    /// The system's clock.
    public static var system: SystemClock { SystemClock() }
}
