import NodeCore

/// What a request has that runs behind the gate: the session in which it came there.
///
/// It doesn't keep the refresher: journals are kept by observers, and a node may keep its observers. The request itself
/// does as long as it runs, first sending and replay alike, so that an application may drop the chain.
final class AccessPass: JournalPass, @unchecked Sendable {  // `refresher` is set once; the rest is let
    let owner: Int
    private weak var refresher: TokenRefresherNode?
    private let session: Session
    /// The name of the node with the gate, for what is told of it.
    private let name: String

    init(_ refresher: TokenRefresherNode, _ session: Session, _ name: String) {
        owner = refresher.owner
        self.refresher = refresher
        self.session = session
        self.name = name
    }

    /// Asked after the token was added: a token of the next session came after the end of this one.
    var refusal: (any Error)? {
        guard let refresher, refresher.session != session else { return nil }
        return refresher.sessionEnded
    }

    func readmission() -> Observer<Void>? {
        guard let refresher else { return nil }
        let passage = refresher.admit(in: session) {
            AccessSafeEvent.note(name, .frozenBeforeSending)
        }
        switch passage {
        case .open: return nil
        case .closed(let error): return .emit(error: error)
        case .frozen(let refreshed):
            return refreshed.map { [name] report in
                AccessSafeEvent.note(name, .sent, duration: report.duration, error: report.error)
            }
        }
    }
}
