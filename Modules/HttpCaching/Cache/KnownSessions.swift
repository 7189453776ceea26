/// The sessions with credentials that this process has used, and those of each gate of AccessSafe. At most some are known,
/// because a server may have one for each of its users.
struct KnownSessions: Sendable {
    /// The most sessions, of all and of a gate. Beyond, none is known any more.
    static let most = 1000

    private enum Known: Sendable {
        case some(Set<HttpCacheSession>)
        case tooMany

        mutating func insert(_ session: HttpCacheSession) -> Bool {
            guard case .some(var sessions) = self else { return false }
            // The set must not be copied.
            self = .tooMany
            let isNew = sessions.insert(session).inserted
            if sessions.count <= KnownSessions.most { self = .some(sessions) }
            return isNew
        }

        func contains(_ session: HttpCacheSession) -> Bool {
            if case .some(let sessions) = self { sessions.contains(session) } else { false }
        }
    }

    private var all = Known.some([])
    private var ofGates: [Int: Known] = [:]

    /// Adds a session. Returns the gates for which it is new.
    mutating func add(_ session: HttpCacheSession, of gates: [Int]) -> [Int] {
        _ = all.insert(session)
        return gates.filter { ofGates[$0, default: .some([])].insert(session) }
    }

    /// Ends the sessions of a gate. Returns which sessions' responses are removed: theirs, and those of which nothing says
    /// whose they are, because an earlier process has stored them, or because there are too many.
    mutating func end(_ gate: Int) -> @Sendable (HttpCacheSession) -> Bool {
        let ended = ofGates.removeValue(forKey: gate) ?? .some([])
        if case .some(let sessions) = ended, case .some(let others) = all { all = .some(others.subtracting(sessions)) }
        return { [all] session in
            guard session.hasCredentials else { return false }
            return ended.contains(session) || !all.contains(session)
        }
    }
}
