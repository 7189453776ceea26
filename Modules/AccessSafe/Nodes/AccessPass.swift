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

    func readmit() async throws -> Bool {
        guard let refresher else { return false }
        state.withLock { ($0.hasRejected, $0.isOfReceiver) = (false, true) }
        // After a refresh that has succeeded the request doesn't ask for another one.
        var (isDue, hasWaited) = (true, false)
        while true {
            let passage = refresher.admit(in: session, isDue: isDue) {
                AccessEvent.frozenBeforeSending.write(by: name)
            }
            switch passage {
            case .open(let ticket):
                state.withLock { $0.ticket = ticket }
                return hasWaited
            case .closed(let error): throw rejecting(error)
            case .frozen(let refreshed):
                do {
                    let report = try await refreshed.value
                    (isDue, hasWaited) = (report.error != nil, true)
                    AccessEvent.sent(after: report.duration, error: report.error).write(by: name)
                } catch {
                    throw rejecting(error)
                }
            }
        }
    }

    private func rejecting(_ error: any Error) -> any Error {
        state.withLock { $0.hasRejected = true }
        return error
    }
}
