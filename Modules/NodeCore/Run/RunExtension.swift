import Synchronization

/// The part of a run that follows the delivery of its value, such as the stream of a response's body. May be used from
/// any thread.
package final class RunExtension: Sendable {
    package struct End: Sendable {
        package let outcome: Outcome<Void>
        /// How many bytes it has received.
        package let bytes: Int64
        /// What was measured, such as the metrics of a transfer.
        package let value: (any Sendable)?

        package init(outcome: Outcome<Void>, bytes: Int64, value: (any Sendable)?) {
            self.outcome = outcome
            self.bytes = bytes
            self.value = value
        }
    }

    private enum State: Sendable {
        case open(listener: (@Sendable (End?) -> Void)?)
        case ended(End?)
    }

    private let state = Mutex(State.open(listener: nil))

    /// Whether the run's value no longer contains this part, because a node returned another value. Then it doesn't
    /// continue the run.
    package let isDropped: @Sendable () -> Bool

    package init(isDropped: @escaping @Sendable () -> Bool) {
        self.isDropped = isDropped
    }

    /// Ends it. Only the first call has an effect.
    ///
    /// - Parameter end: nil where it was dropped before anything of it was used.
    package func finish(_ end: End?) {
        let old = state.taking { state in
            guard case .open = state else { return state }
            defer { state = .ended(end) }
            return state
        }
        if case .open(let listener) = old { listener?(end) }
    }

    /// Calls `listener`, the only one, when it has ended; at once after that.
    package func onEnd(_ listener: @escaping @Sendable (End?) -> Void) {
        let end = state.taking { state -> End?? in
            if case .ended(let end) = state { return .some(end) }
            state = .open(listener: listener)
            return nil
        }
        if let end { listener(end) }
    }
}
