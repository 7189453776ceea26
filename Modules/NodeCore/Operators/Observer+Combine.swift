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
        let ends = Ends<Value, Other>()
        let result = Pending(combining: work, other.work)
        let end: @Sendable (Outcome<Value>?, Outcome<Other>?) -> Pending? = { first, second in
            let (first, second) = ends.with(first, second)
            guard let outcome = decide(first, second) else { return nil }
            if first == nil { self.cancel() }
            if second == nil { other.cancel() }
            return result.end(outcome.erased)
        }
        add { end($0, nil) }
        other.add { end(nil, $0) }
        return Observer<Joined>(pending: result)
    }
}

extension Observer {
    /// The work; nil when it had ended before the observer was made.
    fileprivate var work: Pending? {
        if case .pending(let pending) = state { pending } else { nil }
    }

    /// Calls `listener` with the outcome, and with the task-local values of the code that ends the work.
    fileprivate func add(_ listener: @escaping @Sendable (Outcome<Value>) -> Pending?) {
        switch state {
        case .settled(let outcome): if let ended = listener(outcome) { deliver([ended]) }
        case .pending(let pending): pending.add { listener(Outcome($0)) }
        }
    }
}

/// How the two observers ended, so far.
private final class Ends<First: Sendable, Second: Sendable>: Sendable {
    private let ends = Mutex<(First: Outcome<First>?, Second: Outcome<Second>?)>((nil, nil))

    func with(_ first: Outcome<First>?, _ second: Outcome<Second>?) -> (Outcome<First>?, Outcome<Second>?) {
        ends.withLock { ends in
            ends = (first ?? ends.0, second ?? ends.1)
            return ends
        }
    }
}
