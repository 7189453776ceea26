/// What is known of a token before a request is sent with it.
public enum TokenFreshness: Hashable, Sendable {
    /// The token is valid as far as is known.
    case fresh
    /// The token expires soon: it is refreshed before the next request. Should that fail, requests are sent with it,
    /// and it is not refreshed early again.
    case expiring
    /// The token has expired: the next request waits for a new one, and fails if the refresh fails.
    case expired
}
