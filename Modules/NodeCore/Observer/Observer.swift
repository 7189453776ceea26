/// The reading end of some work: what a consumer listens to, waits for and cancels.
///
/// - It settles exactly once: completed, failed or canceled.
/// - Listeners may be added at any time, before or after that. Each is called exactly once, in the order of
///   registration; at once when the observer is settled already.
/// - They are called where the work ends, or on the queue that ``dispatchOn(_:)`` names. A closure sees
///   the task-local values and the priority of the code that adds it. No lock is held meanwhile.
/// - ``cancel()`` travels to the producer through every operator and node.
///
/// The writing end is ``Context``. An observer that is settled from the start is a plain value and allocates nothing.
public struct Observer<Value: Sendable>: Sendable {
    @usableFromInline enum State: Sendable {
        case settled(Outcome<Value>)
        case pending(Pending)
    }

    @usableFromInline let state: State

    /// An observer that has ended with `outcome`.
    @inlinable package init(_ outcome: Outcome<Value>) {
        state = .settled(outcome)
    }

    @inlinable init(pending: Pending) {
        state = .pending(pending)
    }

    /// An observer that has completed with `data`.
    @inlinable public static func emit(data: Value) -> Observer {
        Observer(.completed(data))
    }

    /// An observer that has failed with `error`.
    @inlinable public static func emit(error: any Error) -> Observer {
        Observer(.failed(error))
    }

    /// How the work ended, nil while it runs.
    public var outcome: Outcome<Value>? {
        switch state {
        case .settled(let outcome): outcome
        case .pending(let pending): pending.outcome.map { Outcome($0) }
        }
    }

    /// Cancels the work. The observer is canceled at once: neither `onCompleted` nor `onError` is called any more,
    /// `onCanceled` and `defer` are. The producer stops, so that nothing more is sent.
    ///
    /// Canceling twice, or after the completion, does nothing. May be called from any thread.
    public func cancel() {
        if case .pending(let pending) = state { pending.cancel() }
    }

    /// Calls `listener` with the outcome of the work.
    @discardableResult
    public func onSettled(_ listener: @escaping @Sendable (Outcome<Value>) -> Void) -> Observer {
        switch state {
        case .settled(let outcome): listener(outcome)
        case .pending(let pending): pending.listen { listener(Outcome($0)) }
        }
        return self
    }

    /// Calls `listener` with the value when the work completes.
    @discardableResult
    public func onCompleted(_ listener: @escaping @Sendable (Value) -> Void) -> Observer {
        onSettled { if case .completed(let value) = $0 { listener(value) } }
    }

    /// Calls `listener` with the error when the work fails. A cancel is not an error.
    @discardableResult
    public func onError(_ listener: @escaping @Sendable (any Error) -> Void) -> Observer {
        onSettled { if case .failed(let error) = $0 { listener(error) } }
    }

    /// Calls `listener` when the work is canceled.
    @discardableResult
    public func onCanceled(_ listener: @escaping @Sendable () -> Void) -> Observer {
        onSettled { if case .canceled = $0 { listener() } }
    }

    /// Calls `listener` when the work completes, fails or is canceled: the `finally` of a chain.
    @discardableResult
    public func `defer`(_ listener: @escaping @Sendable () -> Void) -> Observer {
        onSettled { _ in listener() }
    }

    /// The journal of the run in which the work began; nil when no logger reads one, or when the listeners have been called.
    /// An observer that is settled from the start keeps none: then it is the caller's.
    public var journal: Journal? {
        switch state {
        case .settled: Journal.current
        case .pending(let pending): pending.journal
        }
    }

    /// The same work upstream of ``dispatchOn(_:)``, which callbacks need and `await` does not.
    @inlinable package var source: Observer<Value> {
        switch state {
        case .settled: self
        case .pending(let pending): Observer(pending: pending.source)
        }
    }
}

extension Observer where Value == Void {
    /// An observer of work that has completed and has no value.
    public static func emit() -> Observer<Void> {
        .emit(data: ())
    }
}
