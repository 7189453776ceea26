/// The sessions with credentials that this process has used, with the gates of AccessSafe to which each belongs. At most
/// some are known, because a server may have one for each of its users.
struct KnownSessions: Sendable {
    /// The most sessions. Beyond, none is known any more.
    static let most = 1000

    /// nil if there were too many.
    private var known: [HttpCacheSession: Set<Int>]? = [:]

    /// Adds a session. Returns the gates for which it is new; all once there were too many.
    mutating func add(_ session: HttpCacheSession, of gates: [Int]) -> [Int] {
        let old = known?[session]
        let new = gates.filter { old?.contains($0) != true }
        if old == nil || !new.isEmpty { known?[session, default: []].formUnion(new) }
        if let count = known?.count, count > Self.most { known = nil }
        return new
    }

    /// Ends the sessions of a gate. Returns which sessions' responses are removed: theirs, and those of which nothing says
    /// whose they are, because an earlier process has stored them, or because there are too many.
    mutating func end(_ gate: Int) -> @Sendable (HttpCacheSession) -> Bool {
        known = known?.filter { !$0.value.contains(gate) }
        return { [known] in $0.hasCredentials && known?[$0] == nil }
    }
}
