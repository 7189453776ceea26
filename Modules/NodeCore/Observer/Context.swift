/// The writing end of some work: the author of a node holds it while the work runs.
///
/// ```swift
/// let context = Context<Data>()
/// let timer = readLater { context.emit(data: $0) }
/// context.onCancel { timer.invalidate() }
/// return context.observer
/// ```
///
/// The first result wins; each of the settling methods returns whether it was the first. A context that is released
/// unsettled fails its observer with ``ChainError/Code/abandoned``, so no consumer waits forever. May be used from
/// any thread.
public final class Context<Value: Sendable>: Sendable {
    let pending: Pending

    /// Creates an unsettled context.
    public init() {
        pending = Pending()
    }

    deinit {
        if !isSettled { pending.settle(.failed(ChainError.abandoned(Value.self))) }
    }

    /// The reading end.
    public var observer: Observer<Value> {
        Observer(pending: pending)
    }

    /// Whether it has ended, also through a cancel by the consumer.
    public var isSettled: Bool {
        pending.isSettled
    }

    /// Completes with `data`. Returns false, and changes nothing, when the context had ended before.
    @discardableResult
    public func emit(data: Value) -> Bool {
        pending.settle(.completed(data))
    }

    /// Fails with `error`. Returns false, and changes nothing, when the context had ended before.
    @discardableResult
    public func emit(error: any Error) -> Bool {
        pending.settle(.failed(error))
    }

    /// Ends as canceled from the producer's side. Returns false, and changes nothing, when the context had ended
    /// before.
    @discardableResult
    public func cancel() -> Bool {
        pending.settle(.canceled)
    }

    /// Ends with `outcome`. Returns false, and changes nothing, when the context had ended before.
    @discardableResult
    public func settle(_ outcome: Outcome<Value>) -> Bool {
        pending.settle(outcome.erased)
    }

    /// Ends with `result`. Returns false, and changes nothing, when the context had ended before.
    @discardableResult
    package func settle<Failure: Error>(_ result: Result<Value, Failure>) -> Bool {
        switch result {
        case .success(let value): pending.settle(.completed(value))
        case .failure(let error): pending.settle(.failed(error))
        }
    }

    /// Calls `handler` when the consumer cancels; at once when that has happened already; never after another result.
    ///
    /// The context keeps the handler until it ends: a handler that captures the context should do so weakly.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        pending.onCancel(handler)
    }
}

extension Context where Value == Void {
    /// Completes. Returns false, and changes nothing, when the context had ended before.
    @discardableResult
    public func emit() -> Bool {
        emit(data: ())
    }
}
