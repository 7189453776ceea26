/// How often a token is refreshed at most, and how long one refresh may take.
///
/// ```swift
/// TokenRefresherNode(limits: RefreshLimits(refreshes: 3, per: .seconds(30), timeout: .seconds(10))) { … }
/// ```
public struct RefreshLimits: Hashable, Sendable {
    /// How many refreshes may begin within ``window``; what would be one more fails with
    /// ``AccessSafeError/Code/refreshLimitReached``.
    public var refreshes: Int
    /// The time in which refreshes are counted: the last such span before the moment of counting.
    public var window: Duration
    /// How long one refresh may take; past it who waits fails with ``AccessSafeError/Code/refreshTimedOut``.
    public var timeout: Duration

    /// Makes limits: ten refreshes a minute, half a minute for each, unless said otherwise.
    public init(refreshes: Int = 10, per window: Duration = .seconds(60), timeout: Duration = .seconds(30)) {
        self.refreshes = refreshes
        self.window = window
        self.timeout = timeout
    }
}
