/// The source of time for delays and time limits. ``SystemClock`` is the usual one; a test passes one that it advances,
/// such as `TestClock` of NetChainTestKit.
public protocol ChainClock: Sendable {
    /// The current time.
    var now: ContinuousClock.Instant { get }

    /// Completes after `delay`, on any thread; a cancel ends it at once. A delay that isn't longer than zero completes
    /// at once.
    func wait(for delay: Duration) -> Observer<Void>
}

extension ChainClock where Self == SystemClock {
    /// The system's clock.
    public static var system: SystemClock { SystemClock() }
}
