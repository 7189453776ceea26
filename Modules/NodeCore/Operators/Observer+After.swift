extension Observer where Value == Void {
    /// Completes after a time, on a background queue; a cancel ends it at once. A time that isn't longer than zero
    /// completes at once.
    public static func after(_ delay: Duration, clock: any ChainClock = .system) -> Observer<Void> {
        clock.wait(for: delay)
    }
}
