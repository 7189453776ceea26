public import Dispatch

/// The shared state of an observer whose work has not ended yet when the observer is made.
///
/// The code that knows the value is inlined into the modules that use it, where the type of the value is known.
@usableFromInline
typealias Pending<Value: Sendable> = PendingValue<Value, Value?>

/// See ``Pending``, the only form that is used. What holds the value is a parameter of its own because its type would
/// otherwise be looked up whenever an object goes: a tenth of what a node costs.
@usableFromInline
final class PendingValue<Value: Sendable, Slot: Sendable>: AnyPending, @unchecked Sendable {  // `slot` as said there
    /// What it completed with: written once, under the lock, by who ends the work; read after that only.
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
    /// Creates an unsettled one. It belongs to the current run, else to the one that `work` does.
    @inlinable
    convenience init(after work: AnyPending? = nil, on queue: DispatchQueue? = nil) {
        self.init(slot: nil, after: work, queue: queue)
    }

    /// Creates one that belongs to `run` and tells `upstream` of a cancel.
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

    /// How it ended. To be asked only by who knows that it has.
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

    /// Calls `listener` with the end, once.
    @inlinable
    func listen(_ listener: @escaping @Sendable (Outcome<Value>) -> Void) {
        add { if let outcome = Pending<Value>.end(of: $0) { listener(outcome) } }
    }

    /// How the object that a listener of this type was handed has ended.
    @inlinable
    static func end(of pending: AnyPending) -> Outcome<Value>? {
        // A listener is handed the object that it was added to, so its type is certain.
        unsafeDowncast(pending, to: Pending<Value>.self).ended
    }

    /// The value that the object that a listener of this type was handed has completed with; nil after another end.
    @inlinable
    static func value(of pending: AnyPending) -> Value? {
        unsafeDowncast(pending, to: Pending<Value>.self).slot
    }

    /// Takes over what `observer` ends with; a cancel of this one reaches it.
    @inlinable
    func follow(_ observer: Observer<Value>) {
        follow(observer) { [self] in settle($0) }
    }

    /// Passes on what `observer` ends with to `taker`, which settles this; a cancel of this one reaches it.
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
