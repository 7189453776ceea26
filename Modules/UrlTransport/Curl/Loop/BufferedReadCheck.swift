#if os(Linux)
/// Decides when to have libcurl visit transfers without an event (``LibcurlWorkarounds``).
///
/// libcurl reads what arrives over an HTTP/2 connection for all of its transfers within one of them, and doesn't always
/// resume the others. The server sends nothing more then, and they would wait for their timeout. So before a wait libcurl
/// visits them, until that ends none of them.
struct BufferedReadCheck: Equatable {
    private enum State: Equatable {
        case none
        /// To be made before anything is waited for.
        case owed
        /// To be made in this iteration. With other work, which may read bytes itself, another one follows.
        case due(isAlone: Bool)
    }

    private var state = State.none

    var isOwed: Bool { state == .owed }

    var isDue: Bool {
        if case .due = state { true } else { false }
    }

    /// libcurl has processed events.
    mutating func didProcess(runningBefore before: Int32, after: Int32, isMultiplexed: Bool) {
        // A transfer by itself is read for by no other.
        if before > 1, isMultiplexed, !isDue || after < before { state = .owed }
    }

    /// No event happened in a wait of zero length.
    mutating func didWaitWithoutEvents() {
        state = .due(isAlone: true)
    }

    mutating func didReceiveCommands() {
        if isDue { state = .due(isAlone: false) }
    }

    /// The visit was made.
    mutating func didVisit() {
        if case .due(let isAlone) = state { state = isAlone ? .none : .owed }
    }
}
#endif
