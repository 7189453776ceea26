/// The part of a run that follows the delivery of its value, such as the stream of a response's body.
package struct RunExtension: Sendable {
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

    /// Calls its argument with the end, once; with nil where it was dropped before anything of it was used.
    package let onEnd: @Sendable (_ listener: @escaping @Sendable (End?) -> Void) -> Void
    /// Whether the run's value no longer contains this part, because a node returned another value. Then it doesn't
    /// continue the run.
    package let isDropped: @Sendable () -> Bool

    package init(
        onEnd: @escaping @Sendable (@escaping @Sendable (End?) -> Void) -> Void,
        isDropped: @escaping @Sendable () -> Bool
    ) {
        self.onEnd = onEnd
        self.isDropped = isDropped
    }
}
