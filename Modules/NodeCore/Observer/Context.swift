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
    @usableFromInline let pending: Pending<Value>

    /// Creates an unsettled context that belongs to the current chain run, if there is one.
    @inlinable
    public init() {
        pending = Pending()
    }

    deinit {
        // Without the type of the outcome, whose metadata would be looked up each time.
        if !isSettled { pending.settle(AnyPending.End.failed(ChainError.abandoned(Value.self))) {} }
    }

    /// The reading end.
    @inlinable public var observer: Observer<Value> {
        Observer(pending: pending)
    }

    /// Whether it has ended, also through a cancel by the consumer.
    @inlinable public var isSettled: Bool {
        pending.isSettled
    }

    /// Completes with `data`. Returns false, and changes nothing, when the context had ended before.
    @discardableResult
    @inlinable
    public func emit(data: Value) -> Bool {
        pending.settle(.completed(data))
    }

    /// Fails with `error`. Returns false, and changes nothing, when the context had ended before.
    @discardableResult
    @inlinable
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
    @inlinable
    public func settle(_ outcome: Outcome<Value>) -> Bool {
        pending.settle(outcome)
    }

    /// Ends with `result`. Returns false, and changes nothing, when the context had ended before.
    @discardableResult
    @inlinable
    package func settle<Failure: Error>(_ result: Result<Value, Failure>) -> Bool {
        switch result {
        case .success(let value): pending.settle(.completed(value))
        case .failure(let error): pending.settle(.failed(error))
        }
    }

    /// Ends as `observer` does, and passes a consumer's cancel on to it. The context may be released after the call. Of
    /// several observers the first to end is followed, and a cancel reaches all of them.
    package func follow(_ observer: Observer<Value>) {
        pending.follow(observer) { [self] in settle($0) }
    }

    /// The run that the context belongs to, until its listeners have been called.
    package var run: Run? {
        pending.run
    }

    /// Passes a consumer's cancel on to `producer`; at once when it has happened already. The context keeps the
    /// producer until it ends.
    package func tellCancel(to producer: any Cancelable) {
        pending.attach(upstream: producer)
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
