import NodeCore
import Synchronization

/// The admission of a request: the session in which it reached the gate, and the ticket of its token.
///
/// It doesn't keep the refresher: observers keep their run, and a node may keep its observers. The request itself keeps
/// it as long as it runs, first sending and replay alike, so that an application may release the chain.
final class AccessPass: GateAdmission, Readmission, @unchecked Sendable {
    // `@unchecked`: `refresher` is set once, a mutex protects `state`.
    let gate: Int
    let refresh: Int?
    private weak var refresher: TokenRefresherNode?
    private let session: Session
    /// The name of the node with the gate, for its journal entries.
    private let name: String
    private let state: Mutex<State>

    private struct State {
        var ticket: Ticket
        /// Whether a refresh for which the request waited has just succeeded, so that the request doesn't ask for
        /// another one.
        var hasWaited = false
        var hasRejected = false
        /// Whether the last response came from a server that got the token.
        var isOfReceiver = true
    }

    init(_ refresher: TokenRefresherNode, _ session: Session, _ ticket: Ticket, _ name: String) {
        gate = refresher.owner
        refresh = refresher.currentRefresh
        self.refresher = refresher
        self.session = session
        self.name = name
        state = Mutex(State(ticket: ticket))
    }

    /// The token with which the request was last sent, or an older one where that is unknown.
    var ticket: Ticket {
        state.withLock { $0.ticket }
    }

    /// Records the current ticket, if it is of the same session; the request takes its token after this call.
    func willTakeToken() {
        guard let ticket = refresher?.ticket, ticket.session == session.gate else { return }
        state.withLock { $0.ticket = ticket }
    }

    /// Checked after the token was added: a token of the next session was stored after this session's end.
    var refusal: (any Error)? {
        guard let refresher, refresher.session != session else { return nil }
        return refresher.sessionEnded
    }

    var hasRejected: Bool { state.withLock { $0.hasRejected } }

    /// Whether a rejection concerns the token.
    var isOfReceiver: Bool { state.withLock { $0.isOfReceiver } }

    func record(responseOfReceiver isOfReceiver: Bool) {
        state.withLock { $0.isOfReceiver = isOfReceiver }
    }

    func readmission() -> Observer<Void>? {
        guard let refresher else { return nil }
        let hasWaited = state.withLock { state in
            defer { (state.hasWaited, state.hasRejected, state.isOfReceiver) = (false, false, true) }
            return state.hasWaited
        }
        let passage = refresher.admit(in: session, isDue: !hasWaited) {
            AccessEvent.frozenBeforeSending.write(by: name)
        }
        switch passage {
        case .open(let ticket):
            state.withLock { $0.ticket = ticket }
            return nil
        case .closed(let error): return .emit(error: rejecting(error))
        case .frozen(let refreshed):
            return refreshed.mapError(rejecting).map { [self] report -> Void in
                state.withLock { $0.hasWaited = report.error == nil }
                AccessEvent.sent(after: report.duration, error: report.error).write(by: name)
            }
        }
    }

    private func rejecting(_ error: any Error) -> any Error {
        state.withLock { $0.hasRejected = true }
        return error
    }
}
