#if os(Linux)
/// Decides when libcurl must visit transfers without an event (``LibcurlWorkarounds``).
///
/// Within one transfer, libcurl reads the data of all transfers on an HTTP/2 connection, and doesn't always resume the
/// others. The server sends nothing more, so the others would wait until their timeout. Before a wait, libcurl
/// therefore visits them, until a visit completes no transfer.
struct BufferedReadCheck: Equatable {
    private enum State: Equatable {
        case none
        /// A check is needed before the next wait.
        case owed
        /// The check happens in this event-loop iteration. Other work in it may read bytes, so another check follows
        /// then.
        case due(isAlone: Bool)
    }

    private var state = State.none

    var isOwed: Bool { state == .owed }

    var isDue: Bool {
        if case .due = state { true } else { false }
    }

    /// Records that libcurl has processed events.
    mutating func didProcess(runningBefore before: Int32, after: Int32, isMultiplexed: Bool) {
        // A single transfer has no other one that could read its data.
        if before > 1, isMultiplexed, !isDue || after < before { state = .owed }
    }

    /// Records that a wait of zero length had no events.
    mutating func didWaitWithoutEvents() {
        state = .due(isAlone: true)
    }

    mutating func didReceiveCommands() {
        if isDue { state = .due(isAlone: false) }
    }

    /// Records that libcurl has visited the transfers.
    mutating func didVisit() {
        if case .due(let isAlone) = state { state = isAlone ? .none : .owed }
    }
}
#endif
