import NodeCore

/// What a frozen request learns from the refresh for which it waited.
struct RefreshReport: Sendable {
    let duration: Duration
    /// The error of an early refresh, which doesn't keep the request from going out with the old token.
    let error: (any Error)?
}

/// What the gate says to a request.
enum Passage: Sendable {
    case open(Ticket)
    case frozen(Observer<RefreshReport>)
    case closed(any Error)
}

/// The session to which a request belongs: what had been counted when the request came to the gate.
struct Session: Hashable, Sendable {
    /// How often the refresher's session had ended.
    let gate: Int
    /// How often its store's had; 0 where there is no store.
    let store: Int
}
