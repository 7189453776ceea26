import NodeCore
import Synchronization

/// The admission of a request, in all its sendings: when the request was made, and the ticket of its token.
///
/// It doesn't keep the refresher: observers keep their run, and a node may keep its observers. The request itself keeps
/// it as long as it runs, so that an application may release the chain.
final class AccessAdmission: Admission, @unchecked Sendable {
    // `@unchecked`: `refresher` is set once, a mutex protects `state`.
    let gate: Int
    /// The name of the node with the gate, for its journal entries.
    let name: String
    private weak var refresher: TokenRefresherNode?
    private let madeAt: LogicalTime
    private let state: Mutex<State>

    private struct State {
        var ticket: Ticket
        var hasRejected = false
        /// Whether the last response came from a server that got the token.
        var isOfReceiver = true
    }

    /// Creates the admission of a request that still has to be admitted.
    ///
    /// - Throws: that the session in which the request was made has ended.
    init(_ refresher: TokenRefresherNode, madeAt: LogicalTime, name: String) throws(AccessSafeError) {
        guard let ticket = refresher.ticket(madeAt: madeAt) else { throw refresher.sessionEnded }
        gate = refresher.gateNumber
        self.name = name
        self.refresher = refresher
        self.madeAt = madeAt
        state = Mutex(State(ticket: ticket))
    }

    /// The token with which the request was last sent, or an older one where that is unknown.
    var ticket: Ticket {
        state.withLock { $0.ticket }
    }

    /// Records that the gate lets the request be sent, with the token of `ticket` or a later one: see ``willTakeToken()``.
    func recordAdmission(_ ticket: Ticket) {
        state.withLock { $0 = State(ticket: ticket) }
    }

    /// Records the current ticket, if it is of the same session; the request takes its token after this call. The token may be
    /// newer than at the admission. ``TokenStore/accessToken`` calls it.
    func willTakeToken() {
        guard let ticket = refresher?.ticket(madeAt: madeAt) else { return }
        state.withLock { $0.ticket = ticket }
    }

    /// Checked after the token was added: a token of the next session was stored after this session's end. A request that
    /// a node has kept for longer than its chain is refused, because nothing can say whether its session lasts.
    var refusal: (any Error)? {
        guard let refresher else { return AccessSafeError(.signedOut) }
        return refresher.ticket(madeAt: madeAt) == nil ? refresher.sessionEnded : nil
    }

    var hasRejected: Bool { state.withLock { $0.hasRejected } }

    /// Whether a rejection concerns the token.
    var isOfReceiver: Bool { state.withLock { $0.isOfReceiver } }

    func record(responseOfReceiver isOfReceiver: Bool) {
        state.withLock { $0.isOfReceiver = isOfReceiver }
    }

    func notifyAtSessionEnd(_ listener: any SessionEndListener) {
        if let refresher {
            refresher.notifyAtSessionEnd(listener, madeAt: madeAt)
        } else {
            listener.sessionEnded(gate: gate)
        }
    }

    func readmit() async throws -> Bool {
        guard let refresher else { return false }
        do {
            return try await refresher.admit(self)
        } catch {
            state.withLock { $0.hasRejected = true }
            throw error
        }
    }
}
