import Synchronization

/// Something upstream that can be told to stop. Telling it twice, or after its end, does nothing.
@usableFromInline
protocol Cancelable: AnyObject, Sendable {
    func cancel()
}

/// An object that takes part in a chain of pending observers without a closure of its own.
@usableFromInline
protocol Receiver<Input>: AnyObject, Sendable {
    associatedtype Input: Sendable
    func receive(_ outcome: Outcome<Input>)
}

/// The shared state of an observer whose work has not ended yet when the observer is made.
///
/// One struct in one mutex; an event changes it and what follows from the event is done after unlocking.
@usableFromInline
class Pending<Value: Sendable>: Cancelable, @unchecked Sendable {  // `state` is protected by its mutex, the rest is let
    @usableFromInline
    enum Listener: Sendable {
        case callback(@Sendable (Outcome<Value>) -> Void)
        case receiver(any Receiver<Value>)
        case forward(Pending<Value>)

        @usableFromInline func call(_ outcome: Outcome<Value>) {
            switch self {
            case .callback(let callback): callback(outcome)
            case .receiver(let receiver): receiver.receive(outcome)
            case .forward(let pending): pending.settle(outcome)
            }
        }
    }

    @usableFromInline
    struct State: Sendable {
        var outcome: Outcome<Value>?
        /// One thread at a time calls listeners, so that they are called in the order of registration.
        var isDelivering = false
        /// Nearly every observer has one listener: it needs no array.
        var first: Listener?
        var rest: [Listener] = []
        var upstream: (any Cancelable)?
        var onCancel: (@Sendable () -> Void)?
        /// How many observers of `multicast()` have not been cancelled.
        var seats = 0

        mutating func append(_ listener: Listener) {
            if first == nil, rest.isEmpty { first = listener } else { rest.append(listener) }
        }
    }

    @usableFromInline let state = Mutex(State())
    /// The journal of the chain run that this observer belongs to.
    @usableFromInline let journal: Journal?

    @usableFromInline
    init(journal: Journal?) {
        self.journal = journal
    }

    @usableFromInline var outcome: Outcome<Value>? {
        state.withLock { $0.outcome }
    }

    /// Where the outcome appears before any hop that only callbacks need.
    @usableFromInline var source: Observer<Value> {
        Observer(pending: self)
    }

    /// Ends the work. The first end wins; returns whether this was it.
    @discardableResult
    @usableFromInline
    final func settle(_ outcome: Outcome<Value>) -> Bool {
        let won = mark(outcome) != nil
        if won { deliver() }
        return won
    }

    /// Ends as canceled and carries the request on to the producer, which hears of it before any listener.
    @usableFromInline
    final func cancel() {
        guard let kept = mark(.canceled) else { return }
        kept.upstream?.cancel()
        kept.onCancel?()
        deliver()
    }

    /// Notes the end without telling anybody; nil when it had ended before. The caller delivers.
    ///
    /// What was kept for a cancel is handed out, because letting go of it may run anything and is no business of the
    /// lock's.
    final func mark(_ outcome: Outcome<Value>) -> Kept? {
        state.withLock { state in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.isDelivering = true
            return Kept(takenFrom: &state)
        }
    }

    @usableFromInline
    final func add(_ listener: Listener) {
        let isMine = state.withLock { state in
            state.append(listener)
            guard state.outcome != nil, !state.isDelivering else { return false }
            state.isDelivering = true
            return true
        }
        if isMine { deliver() }
    }

    /// Makes a cancel of this observer reach `upstream`; at once when it has been canceled already.
    @usableFromInline
    final func attach(upstream: any Cancelable) {
        let isCanceled = state.withLock { state in
            if state.outcome == nil { state.upstream = upstream }
            return state.outcome?.isCanceled ?? false
        }
        if isCanceled { upstream.cancel() }
    }

    /// Sets what a cancel calls; at once when it has been canceled already. A second handler follows the first.
    final func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCanceled = state.withLock { state in
            if state.outcome == nil {
                if let earlier = state.onCancel {
                    state.onCancel = {
                        earlier()
                        handler()
                    }
                } else {
                    state.onCancel = handler
                }
            }
            return state.outcome?.isCanceled ?? false
        }
        if isCanceled { handler() }
    }

    /// Takes over what `observer` ends with; a cancel of this one reaches it.
    @usableFromInline
    final func follow(_ observer: Observer<Value>) {
        switch observer.state {
        case .settled(let outcome): settle(outcome)
        case .pending(let pending):
            attach(upstream: pending)
            pending.add(.forward(self))
        }
    }

    /// Calls the listeners, on the calling thread unless a subclass says otherwise.
    @usableFromInline
    func deliver() {
        drain()
    }

    final func drain() {
        while true {
            let batch = state.withLock { state -> (outcome: Outcome<Value>, first: Listener?, rest: [Listener])? in
                guard let outcome = state.outcome, state.first != nil || !state.rest.isEmpty else {
                    state.isDelivering = false
                    return nil
                }
                let batch = (outcome, state.first, state.rest)
                state.first = nil
                state.rest = []
                return batch
            }
            guard let batch else { return }
            batch.first?.call(batch.outcome)
            for listener in batch.rest { listener.call(batch.outcome) }
        }
    }

    /// What an unsettled observer keeps for the case of a cancel.
    struct Kept: Sendable {
        let upstream: (any Cancelable)?
        let onCancel: (@Sendable () -> Void)?

        init(takenFrom state: inout State) {
            upstream = state.upstream
            onCancel = state.onCancel
            state.upstream = nil
            state.onCancel = nil
        }
    }
}
