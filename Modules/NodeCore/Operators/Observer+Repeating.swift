extension Observer {
    /// Starts `work` repeatedly, until it completes with a value that `isLast` accepts: polling.
    ///
    /// ```swift
    /// let report = Observer.repeating(delay: .seconds(2), until: { $0.isReady }) { _ in
    ///     reportChain.process(id)
    /// }
    /// ```
    ///
    /// - The rounds run in a task. The result completes with that value, fails with the error that `work` fails with or
    ///   that a closure throws, and is canceled when `work` is.
    /// - A cancel of the result cancels the work or the delay in progress. `work` isn't called after it.
    /// - Memory is constant, however many rounds there are.
    ///
    /// - Parameters:
    ///   - delay: the time between the end of a round and the start of the next one.
    ///   - isLast: whether the result completes with this value.
    ///   - clock: the source of time for the delay.
    ///   - work: starts a round. It gets the number of the round, from 1.
    public static func repeating(
        delay: Duration = .zero, until isLast: @escaping @Sendable (Value) throws -> Bool,
        clock: any ChainClock = .system,
        _ work: @escaping @Sendable (_ round: Int) throws -> Observer<Value>
    ) -> Observer<Value> {
        Observer(async: {
            var round = 1
            while true {
                try Task.checkCancellation()
                let value = try await work(round).value
                if try isLast(value) { return value }
                if delay > .zero { try await clock.wait(for: delay).value }
                round += 1
            }
        })
    }
}
