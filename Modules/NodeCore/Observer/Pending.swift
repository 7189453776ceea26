import Dispatch
import Synchronization

/// The shared state of an observer whose work was in progress when the observer was made.
///
/// It is not generic: for generic state, the runtime looks up metadata at each step (two thirds of the time of a pass).
@usableFromInline
final class Pending: Sendable {
    /// The outcome with a value of unknown type.
    @usableFromInline typealias Ending = Outcome<any Sendable>
    /// Receives the outcome. Returns an observer that this outcome may have ended; its listeners are called next.
    @usableFromInline typealias Listener = @Sendable (Ending) -> Pending?

    private enum Delivery {
        /// The listeners have not been called.
        case due
        /// A thread calls the listeners, also those that are added meanwhile.
        case running
        /// All listeners have been called; a new one is called at once.
        case done
    }

    private struct State {
        var outcome: Ending?
        /// Whether the consumer canceled the work.
        var isCanceled = false
        var delivery = Delivery.due
        var listeners: [Listener] = []
        /// What a cancel reaches.
        var upstream: Pending?
        /// The same, where two are combined.
        var secondUpstream: Pending?
        var onCancel: [@Sendable () -> Void] = []
        /// That of the code that made the observer; nil once the listeners have been called.
        var journal = Journal.current
        /// How many observers of `multicast()` have not been canceled.
        var consumers = 0
    }

    private let state: Mutex<State>
    /// Where listeners are called; nil for the thread that ends the work.
    let queue: DispatchQueue?

    @usableFromInline init(upstream: Pending? = nil, on queue: DispatchQueue? = nil) {
        self.queue = queue
        state = Mutex(State(upstream: upstream))
    }

    /// - Parameters:
    ///   - first: what a cancel reaches; nil for work that has ended.
    ///   - second: the same.
    init(combining first: Pending?, _ second: Pending?) {
        queue = nil
        state = Mutex(State(upstream: first, secondUpstream: second))
    }

    var outcome: Ending? { state.withLock { $0.outcome } }
    @usableFromInline var isSettled: Bool { state.withLock { $0.outcome != nil } }
    var journal: Journal? { state.withLock { $0.journal } }

    /// The same work upstream of the queues that only callbacks need.
    @usableFromInline var source: Pending {
        guard queue != nil, let before = state.withLock({ $0.upstream }) else { return self }
        return before.source
    }

    // MARK: The outcome

    /// Ends the work and calls the listeners, on this thread if `isOnQueue`. False when the work had ended before.
    @discardableResult
    func settle(_ outcome: Ending, isOnQueue: Bool = false) -> Bool {
        guard let ended = end(outcome) else { return false }
        deliver([ended], isOnQueue: isOnQueue)
        return true
    }

    /// Ends the work without calling listeners, which the caller must do next. Nil when it had ended before.
    @usableFromInline func end(_ outcome: Ending) -> Pending? {
        close(outcome) == nil ? nil : self
    }

    /// Returns what a cancel is passed on to; nil when the work had ended before.
    private func close(
        _ outcome: Ending, isCanceled: Bool = false
    ) -> (upstream: Pending?, second: Pending?, handlers: [@Sendable () -> Void])? {
        state.taking { state in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.isCanceled = isCanceled
            defer { (state.upstream, state.secondUpstream, state.onCancel) = (nil, nil, []) }
            return (state.upstream, state.secondUpstream, state.onCancel)
        }
    }

    func callListeners() -> [Pending] {
        var ended: [Pending] = []
        var delivery = Delivery.due
        while let (listeners, outcome) = takeListeners(delivery) {
            for listener in listeners {
                if let other = listener(outcome) { ended.append(other) }
            }
            delivery = .running
        }
        return ended
    }

    /// The next listeners to call; nil after the last, and while another thread calls them.
    private func takeListeners(_ delivery: Delivery) -> (listeners: [Listener], outcome: Ending)? {
        let (taken, _) = state.taking { state -> ((listeners: [Listener], outcome: Ending)?, Journal?) in
            guard let outcome = state.outcome, state.delivery == delivery else { return (nil, nil) }
            if state.listeners.isEmpty {
                defer { (state.delivery, state.journal) = (.done, nil) }
                return (nil, state.journal)
            }
            state.delivery = .running
            defer { state.listeners = [] }
            return ((state.listeners, outcome), nil)
        }
        return taken
    }

    // MARK: Listeners

    /// Calls `listener` once: when the work ends, or at once when the others have been called.
    @usableFromInline func add(_ listener: @escaping Listener) {
        let isLate = state.withLock { state in
            state.listeners.append(listener)
            guard state.delivery == .done else { return false }
            state.delivery = .due
            return true
        }
        if isLate { deliver([self]) }
    }

    /// Adds a listener, unless the others have been called: then returns the outcome.
    @usableFromInline func outcome(orAdding listener: @escaping Listener) -> Ending? {
        state.withLock { state in
            if state.delivery == .done { return state.outcome }
            state.listeners.append(listener)
            return nil
        }
    }

    /// Calls `listener` once, with the task-local values of the code that calls this.
    func listen(_ listener: @escaping @Sendable (Ending) -> Void) {
        let values = state.withLock { $0.delivery == .done } ? nil : CallersValues()
        add { outcome in
            if let values { values.call { listener(outcome) } } else { listener(outcome) }
            return nil
        }
    }

    /// Ends when and as `observer` ends; until then a cancel is passed to it. If it has ended already, the caller must call
    /// the listeners.
    @inlinable func end<Value>(as observer: Observer<Value>) {
        switch observer.source.state {
        case .settled(let outcome): _ = end(outcome.erased)
        case .pending(let work):
            guard replaceUpstream(work) else { return work.cancel() }
            // Not by the listener, whose call would be within this one: the caller calls those of this work.
            if let outcome = work.outcome(orAdding: end) { _ = end(outcome) }
        }
    }

    /// Makes a cancel reach `work`; false when one has come before.
    @usableFromInline func replaceUpstream(_ work: Pending) -> Bool {
        let (isCanceled, _) = state.taking { state -> (Bool, Pending?) in
            guard state.outcome == nil else { return (state.isCanceled, nil) }
            defer { state.upstream = work }
            return (false, state.upstream)
        }
        return !isCanceled
    }

    // MARK: Cancellation

    /// Ends as canceled, and all that is upstream, before any listener is called.
    @usableFromInline func cancel() {
        var canceled: [Pending] = []
        var next = [self]
        while let work = next.popLast() {
            guard let targets = work.close(.canceled, isCanceled: true) else { continue }
            canceled.append(work)
            for handler in targets.handlers { handler() }
            next += [targets.upstream, targets.second].compactMap { $0 }
        }
        deliver(canceled)
    }

    /// Sets what a cancel calls; at once when the observer has been canceled already.
    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCanceled = state.withLock { state in
            if state.outcome == nil { state.onCancel.append(handler) }
            return state.isCanceled
        }
        if isCanceled { handler() }
    }

    func addConsumer() { state.withLock { $0.consumers += 1 } }

    /// Removes a consumer; the last one cancels the work.
    func removeConsumer() {
        let isLast = state.withLock { state in
            state.consumers -= 1
            return state.consumers == 0
        }
        if isLast { cancel() }
    }
}

/// Calls the listeners of observers that have ended, the last one's first, and of those that end by it: one after the
/// other, so that a chain of any length needs a constant stack. What follows a queue is called on it.
func deliver(_ ended: [Pending], isOnQueue: Bool = false) {
    var (ended, isOnQueue) = (ended, isOnQueue)
    while let next = ended.popLast() {
        if let queue = next.queue, !isOnQueue {
            return queue.asyncInTask { [ended] in deliver(ended + [next], isOnQueue: true) }
        }
        isOnQueue = false
        ended += next.callListeners()
    }
}

extension Outcome {
    /// The same with a value of unknown type.
    @inlinable var erased: Pending.Ending { map { $0 } }

    /// The outcome of work whose values are of this type.
    @inlinable init(_ ending: Pending.Ending) {
        self = ending.map { value in
            guard let value = value as? Value else { preconditionFailure("\(type(of: value)) is no \(Value.self)") }
            return value
        }
    }
}
