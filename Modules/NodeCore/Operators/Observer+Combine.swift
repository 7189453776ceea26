import Synchronization

extension Observer {
    /// Waits for two operations, which run concurrently, and completes with both values.
    ///
    /// The first error fails the result and cancels the other operation; a cancel of either cancels the result. A
    /// cancel of the result reaches both.
    public func combine<Other: Sendable>(_ other: Observer<Other>) -> Observer<(Value, Other)> {
        join(other) { first, second in
            switch (first, second) {
            case (.completed(let value)?, .completed(let other)?): .completed((value, other))
            case (.failed(let error)?, _), (_, .failed(let error)?): .failed(error)
            case (.canceled?, _), (_, .canceled?): .canceled
            default: nil
            }
        }
    }

    /// Waits for both operations and completes with the values of those that completed, nil for one that failed.
    ///
    /// Only when both fail does the result fail, with the first observer's error. A cancel of either cancels the
    /// result; a cancel of the result reaches both.
    public func combineTolerance<Other: Sendable>(_ other: Observer<Other>) -> Observer<(Value?, Other?)> {
        join(other) { first, second in
            switch (first, second) {
            case (.canceled?, _), (_, .canceled?): .canceled
            case (.failed(let error)?, .failed?): .failed(error)
            case (let first?, let second?): .completed((first.value, second.value))
            default: nil
            }
        }
    }

    /// Settles as `decide` returns, which is called after each of the two has ended. What is still running then is
    /// canceled first.
    private func join<Other: Sendable, Joined: Sendable>(
        _ other: Observer<Other>,
        _ decide: @escaping @Sendable (Outcome<Value>?, Outcome<Other>?) -> Outcome<Joined>?
    ) -> Observer<Joined> {
        if case .settled(let first) = state, case .settled(let second) = other.state,
            let outcome = decide(first, second)
        {
            return Observer<Joined>(outcome)
        }
        let ends = JoinedEnds<Value, Other>()
        let result = Pending<Joined>(run: Run.current ?? (run ?? other.run)?.withoutTask)
        result.onCancel {
            self.cancel()
            other.cancel()
        }
        let settle: @Sendable (Outcome<Value>?, Outcome<Other>?) -> Void = { first, second in
            guard let outcome = decide(first, second) else { return }
            if first == nil { self.cancel() }
            if second == nil { other.cancel() }
            result.settle(outcome)
        }
        onSettled { outcome in
            let both = ends.outcomes.withLock {
                $0.first = outcome
                return $0
            }
            settle(both.first, both.second)
        }
        other.onSettled { outcome in
            let both = ends.outcomes.withLock {
                $0.second = outcome
                return $0
            }
            settle(both.first, both.second)
        }
        return Observer<Joined>(pending: result)
    }
}

private final class JoinedEnds<First: Sendable, Second: Sendable>: Sendable {
    struct Outcomes: Sendable {
        var first: Outcome<First>?
        var second: Outcome<Second>?
    }

    let outcomes = Mutex(Outcomes())
}
