/// What is known of a token before a request is sent with it.
public enum TokenFreshness: Hashable, Sendable {
    /// Nothing speaks against it.
    case fresh
    /// It ends soon: it is refreshed before the next request. Should that fail, requests go out with it as it is, and
    /// no other early refresh is tried for it.
    case expiring
    /// It has ended: the next request waits for a new one, and fails if there is none to be had.
    case expired
}
