/// How often a token is refreshed at most, and how long one refresh may take.
///
/// ```swift
/// TokenRefresherNode(limits: RefreshLimits(refreshes: 3, per: .seconds(30), timeout: .seconds(10))) { … }
/// ```
public struct RefreshLimits: Sendable {
    /// How many refreshes may start within ``window``. A request that would need one more fails with its own error, or
    /// with ``AccessSafeError/Code/refreshLimitReached`` where its token has expired and it was not sent.
    public var refreshes: Int
    /// The sliding window in which refreshes are counted. A forbidden request whose token arrived within it causes no
    /// refresh.
    public var window: Duration
    /// How long requests wait for one refresh; past it they fail with ``AccessSafeError/Code/refreshTimedOut``. The
    /// refresh itself is canceled when the next one starts; if it succeeds before, its tokens are used.
    public var timeout: Duration

    /// Creates limits: by default ten refreshes a minute, half a minute for each.
    public init(refreshes: Int = 10, per window: Duration = .seconds(60), timeout: Duration = .seconds(30)) {
        self.refreshes = refreshes
        self.window = window
        self.timeout = timeout
    }
}
