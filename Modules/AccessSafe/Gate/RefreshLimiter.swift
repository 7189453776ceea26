/// Counts the refreshes of the last window. A part of the gate's state.
struct RefreshLimiter {
    private let limits: RefreshLimits
    /// When the refreshes that still count were started, oldest first.
    private var starts: [ContinuousClock.Instant] = []

    init(limits: RefreshLimits) {
        self.limits = limits
    }

    /// Counts one more refresh; false, without counting it, when the window is full.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        starts.removeAll { $0.duration(to: now) >= limits.window }
        guard starts.count < limits.refreshes else { return false }
        starts.append(now)
        return true
    }

    /// Uncounts the last refresh, which did not take place.
    mutating func giveBack() {
        _ = starts.popLast()
    }
}
