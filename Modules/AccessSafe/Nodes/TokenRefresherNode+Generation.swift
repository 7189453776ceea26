import NodeCore

/// For credentials that are kept without a session, such as those that answer a server's challenge: the caller decides
/// which sending was rejected, and the gate runs one refresh for all.
extension TokenRefresherNode {
    /// How often the token has been renewed. Must be read before the token: the token may then be newer, never older.
    package var generation: Int { ticket.generation }

    /// Whether the current code is a part of this refresher's refresh, for which it must not wait.
    package var isInsideRefresh: Bool { currentRefresh != nil }

    /// Waits until there is a token newer than that of `generation`: returns at once if there is one, joins the refresh
    /// in progress, or starts one. Cancellation doesn't stop the refresh.
    ///
    /// - Parameter rejection: the error with which the request was rejected, for the journal.
    /// - Returns: false if one more refresh would exceed the limit.
    /// - Throws: the error of the refresh.
    package func renewal(from generation: Int, after rejection: any Error) async throws -> Bool {
        let ticket = Ticket(session: self.ticket.session, generation: generation)
        let passage = recover(from: ticket, nil) { AccessEvent.frozenAfterRejection(rejection).write(by: name) }
        switch passage {
        case .open: return true
        case .closed(let error as AccessSafeError) where error.code == .refreshLimitReached: return false
        case .closed(let error): throw error
        case .frozen(let refreshed):
            _ = try await refreshed.value
            return true
        }
    }
}
