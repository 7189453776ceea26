public import Dispatch

/// The shared state of an observer whose work has not ended yet when the observer is made.
///
/// The code that knows the value is inlined into the modules that use it, where the type of the value is known.
@usableFromInline
typealias Pending<Value: Sendable> = PendingValue<Value, Value?>

/// The implementation of ``Pending``, the only form that is used. The storage of the value is a separate type
/// parameter. Otherwise the metadata of the value's type would be looked up whenever an object is released: a tenth of
/// a node's cost.
@usableFromInline
final class PendingValue<Value: Sendable, Slot: Sendable>: AnyPending, @unchecked Sendable {  // `slot` as said there
    /// The value: written once, under the lock, by the thread that ends the work; read only after that.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var slot: Slot

    @inlinable
    init(slot: Slot, after work: AnyPending?, queue: DispatchQueue?) {
        self.slot = slot
        super.init(after: work, queue: queue)
    }

    init(slot: Slot, run: Run?, upstream: (any Cancelable)?, queue: DispatchQueue?) {
        self.slot = slot
        super.init(run: run, upstream: upstream, queue: queue)
    }
}

extension PendingValue where Slot == Value? {
    /// Creates an unsettled one. It belongs to the current run, else to the run of `work`.
    @inlinable
    convenience init(after work: AnyPending? = nil, on queue: DispatchQueue? = nil) {
        self.init(slot: nil, after: work, queue: queue)
    }

    /// Creates one that belongs to `run` and passes a cancel on to `upstream`.
    convenience init(run: Run?, upstream: (any Cancelable)? = nil, on queue: DispatchQueue? = nil) {
        self.init(slot: nil, run: run, upstream: upstream, queue: queue)
    }

    /// Creates one that has ended.
    @usableFromInline
    convenience init(endedWith outcome: Outcome<Value>) {
        self.init()
        settle(outcome)
    }

    /// The same work as the current run sees it: a copy that delivers there, where this one delivers elsewhere.
    @inlinable var here: Pending<Value> {
        isElsewhere ? copied() : self
    }

    @usableFromInline
    func copied() -> Pending<Value> {
        let copy = Pending<Value>(after: self)
        listen { copy.settle($0) }
        return copy
    }

    @inlinable var outcome: Outcome<Value>? {
        isSettled ? ended : nil
    }

    /// How it ended. May be read only by code that knows that it has.
    @inlinable var ended: Outcome<Value>? {
        switch end {
        case .completed: slot.map { .completed($0) }
        case .failed(let error): .failed(error)
        case .canceled: .canceled
        case nil: nil
        }
    }

    /// Where the outcome appears before any hop that only callbacks need.
    @inlinable var source: Observer<Value> {
        guard queue != nil, let before = upstream as? Pending<Value> else { return Observer(pending: self) }
        return before.source
    }

    /// Ends the work. The first end wins; returns whether this was it.
    @discardableResult
    @inlinable
    func settle(_ outcome: Outcome<Value>, isOnQueue: Bool = false) -> Bool {
        switch outcome {
        case .completed(let value): settle(.completed, isOnQueue: isOnQueue) { slot = value }
        case .failed(let error): settle(.failed(error), isOnQueue: isOnQueue) {}
        case .canceled: settle(.canceled, isOnQueue: isOnQueue) {}
        }
    }

    /// Completes, unless it has ended before.
    @inlinable
    func complete(_ value: consuming Value) {
        var value: Value? = consume value
        settle(.completed) { swap(&slot, &value) }
    }

    /// Calls `listener` once, with the outcome.
    @inlinable
    func listen(_ listener: @escaping @Sendable (Outcome<Value>) -> Void) {
        add { if let outcome = Pending<Value>.end(of: $0) { listener(outcome) } }
    }

    /// How the object that a listener of this type received has ended.
    @inlinable
    static func end(of pending: AnyPending) -> Outcome<Value>? {
        // A listener gets the object that it was added to, so its type is certain.
        unsafeDowncast(pending, to: Pending<Value>.self).ended
    }

    /// The value that the object that a listener of this type received has completed with; nil after another outcome.
    @inlinable
    static func value(of pending: AnyPending) -> Value? {
        unsafeDowncast(pending, to: Pending<Value>.self).slot
    }

    /// Ends as `observer` does; a cancel of this one reaches it.
    @inlinable
    func follow(_ observer: Observer<Value>) {
        follow(observer) { [self] in settle($0) }
    }

    /// Passes the outcome of `observer` to `taker`, which settles this one; a cancel of this one reaches `observer`.
    @inlinable
    func follow(_ observer: Observer<Value>, _ taker: @escaping @Sendable (Outcome<Value>) -> Void) {
        switch observer.state {
        case .settled(let outcome): taker(outcome)
        case .pending(var pending):
            // A run doesn't wait for the queue of a chain's callbacks.
            if pending.queue != nil, hasMailbox {
                guard case .pending(let source) = pending.source.state else { return taker(pending.ended ?? .canceled) }
                pending = source
            }
            attach(upstream: pending)
            pending.listen(taker)
        }
    }
}
