import NodeCore

/// What a frozen request receives from the refresh for which it waited.
struct RefreshReport: Sendable {
    let duration: Duration
    /// The error of an early refresh, despite which the request is sent with the old token.
    let error: (any Error)?
}

/// The gate's decision about a request.
enum Passage: Sendable {
    case open(Ticket)
    case frozen(Observer<RefreshReport>)
    case closed(any Error)
}

/// The session to which a request belongs.
struct Session: Hashable, Sendable {
    /// How often the refresher's session had ended.
    let gate: Int
    /// When its store's session began; zero where there is no store.
    let store: LogicalTime
}
