public import Dispatch
public import Synchronization

/// Something upstream that can be told to stop. Telling it twice, or after its end, does nothing.
@usableFromInline
package protocol Cancelable: AnyObject, Sendable {
    func cancel()
}

/// What all unsettled observers have in common whatever their value: who listens, what is upstream, how it ended.
///
/// One struct in one mutex; an event changes it and what follows from the event is done after unlocking. It knows no
/// value, so that generic nodes don't pay for generic code here; ``Pending`` adds the value.
@usableFromInline
class AnyPending: Cancelable, @unchecked Sendable {  // `state` by its mutex, `end` as said there, the rest is let
    /// A listener is handed the pending object that it was added to, which has ended.
    @usableFromInline typealias Listener = @Sendable (AnyPending) -> Void

    /// How the work ended, without the value.
    @usableFromInline
    @frozen
    enum End: Sendable {
        case completed
        case failed(any Error)
        case canceled
    }

    private enum Phase: Sendable {
        case running
        /// Ended by its producer, a cancel included.
        case settled
        /// Ended by a cancel that came from the consumer.
        case canceled
    }

    /// The tasks that wait for what follows from this work. One alone may be left to settle it.
    private enum Takers: Sendable {
        case none
        case one(WaitingTask)
        case several

        /// The one, until it goes on.
        var one: WaitingTask? {
            if case .one(let task) = self, !task.isWoken { task } else { nil }
        }

        var isSeveral: Bool {
            if case .several = self { true } else { false }
        }
    }

    private struct State: Sendable {
        var phase = Phase.running
        /// One thread at a time calls listeners, so that they are called in the order of registration.
        var isDelivering = false
        /// Nearly every observer has one listener: it needs no array.
        var first: Listener?
        var second: Listener?
        var rest: [Listener] = []
        var upstream: (any Cancelable)?
        var onCancel: (@Sendable () -> Void)?
        /// How many observers of `multicast()` have not been cancelled.
        var seats = 0
        var takers = Takers.none

        /// The listeners that have not been called. Without any, nobody delivers from now on.
        mutating func takeBatch() -> Batch? {
            guard let first else {
                isDelivering = false
                return nil
            }
            let batch = Batch(first: first, second: second, rest: rest)
            self.first = nil
            second = nil
            if !rest.isEmpty { rest = [] }
            return batch
        }
    }

    /// Listeners to be called, in order.
    private struct Batch: Sendable {
        let first: Listener
        let second: Listener?
        let rest: [Listener]
    }

    /// What an unsettled observer keeps for the case of a cancel.
    private struct Kept: Sendable {
        let upstream: (any Cancelable)?
        let onCancel: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    /// Follows `end`, so that a look at it needs no lock.
    @usableFromInline let hasEnded = Atomic(false)
    /// Written once, under the lock, by who ends the work; read after that only.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) final var end: End?
    /// The journal of the chain run that this observer belongs to.
    @usableFromInline let journal: Journal?
    /// Where listeners are called; nil leaves them on the settling thread.
    @usableFromInline let queue: DispatchQueue?

    @usableFromInline
    init(journal: Journal?, upstream: (any Cancelable)? = nil, queue: DispatchQueue? = nil) {
        self.journal = journal
        self.queue = queue
        state = Mutex(State(upstream: upstream))
    }

    /// Whether it has ended.
    @inlinable final var isSettled: Bool {
        hasEnded.load(ordering: .acquiring)
    }

    /// Where a cancel goes, until it ends.
    @usableFromInline final var upstream: (any Cancelable)? {
        state.withLock { $0.upstream }
    }

    /// Ends the work; false when it had ended before. `keep` puts the value away, under the lock, and does no more.
    @discardableResult
    @usableFromInline
    final func settle(_ end: End, isOnQueue: Bool = false, _ keep: () -> Void) -> Bool {
        guard mark(.settled, end, { _ in keep() }) != nil else { return false }
        if isOnQueue { drain() } else { deliver() }
        return true
    }

    /// Ends the work in a listener of `work`.
    @usableFromInline
    final func settle(_ end: End, after work: AnyPending, _ keep: () -> Void = {}) {
        // Listeners run under their own object's journal already.
        let isInPlace = queue == nil && journal === work.journal
        var batch: Batch?
        let isMine =
            mark(.settled, end) { state in
                keep()
                if isInPlace { batch = state.takeBatch() }
            } != nil
        guard isMine else { return }
        if !isInPlace { return deliver() }
        if let batch {
            call(batch)
            callListeners()
        }
    }

    /// Ends as `work` did, which failed or was canceled.
    @usableFromInline
    final func endWithoutValue(as work: AnyPending) {
        if let end = work.end { settle(end, after: work) }
    }

    /// Ends as canceled and carries the request on to the producer, which hears of it before any listener.
    @usableFromInline
    final func cancel() {
        guard let kept = mark(.canceled, .canceled) else { return }
        Journal.run(under: journal) {
            kept.upstream?.cancel()
            kept.onCancel?()
        }
        deliver()
    }

    /// Notes the end without telling anybody; nil when it had ended before. The caller delivers. `keep` is called under the
    /// lock.
    ///
    /// What was kept for a cancel is handed out, because letting go of it may run anything and is no business of the
    /// lock's.
    private func mark(_ phase: Phase, _ end: End, _ keep: (inout State) -> Void = { _ in }) -> Kept? {
        state.withLock { state in
            guard state.phase == .running else { return nil }
            state.phase = phase
            state.isDelivering = true
            keep(&state)
            self.end = end
            hasEnded.store(true, ordering: .releasing)
            let kept = Kept(upstream: state.upstream, onCancel: state.onCancel)
            state.upstream = nil
            state.onCancel = nil
            return kept
        }
    }

    @usableFromInline
    final func add(_ listener: @escaping Listener) {
        let isMine = state.withLock { state in
            // A second one is usual, and an array of one would be an allocation more.
            if state.first == nil {
                state.first = listener
            } else if state.second == nil, state.rest.isEmpty {
                state.second = listener
            } else {
                state.rest.append(listener)
            }
            guard state.phase != .running, !state.isDelivering else { return false }
            state.isDelivering = true
            return true
        }
        if isMine { deliver() }
    }

    /// Makes a cancel of this observer reach `upstream`, too; at once when it has been canceled already. What was attached
    /// earlier stays until it has ended.
    @usableFromInline
    final func attach(upstream: any Cancelable) {
        let (phase, earlier, taker) = state.withLock { state -> (Phase, (any Cancelable)?, WaitingTask?) in
            guard state.phase == .running else { return (state.phase, nil, nil) }
            let earlier = state.upstream
            let hasEnded = (earlier as? AnyPending)?.isSettled ?? (earlier == nil)
            state.upstream = if let earlier, !hasEnded { Upstreams(earlier, upstream) } else { upstream }
            return (.running, earlier, state.takers.one)
        }
        if phase == .canceled { upstream.cancel() }
        if let taker { (upstream as? AnyPending)?.offer(taker) }
        withExtendedLifetime(earlier) {}  // let go of here and not under the lock
    }

    /// Sets what a cancel calls; at once when it has been canceled already. A second handler follows the first.
    final func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let phase = state.withLock { state in
            if state.phase == .running {
                if let earlier = state.onCancel {
                    state.onCancel = {
                        earlier()
                        handler()
                    }
                } else {
                    state.onCancel = handler
                }
            }
            return state.phase
        }
        if phase == .canceled { Journal.run(under: journal, handler) }
    }

    /// Whether a task waits for what follows from this work.
    final var isAwaited: Bool {
        state.withLock { state in
            state.phase == .running && (state.takers.isSeveral || state.takers.one != nil)
        }
    }

    /// The task that waits for what follows from this work; nil where none or several do.
    @usableFromInline final var taker: WaitingTask? {
        state.withLock { $0.phase == .running ? $0.takers.one : nil }
    }

    /// Notes that `task` waits for what follows from this work, and returns what this one follows from; nil where `task`
    /// is noted already, or has gone on meanwhile. Where another task waits, too, none is to do the work of both.
    final func note(_ task: WaitingTask) -> (any Cancelable)? {
        let (upstream, earlier) = state.withLock { state -> ((any Cancelable)?, WaitingTask?) in
            guard state.phase == .running, !task.isWoken else { return (nil, nil) }
            switch state.takers {
            case .one(let earlier) where earlier === task: return (nil, nil)
            case .one(let earlier):
                state.takers = earlier.isWoken ? .one(task) : .several
                return (state.upstream, earlier)
            case .none:
                state.takers = .one(task)
                return (state.upstream, nil)
            case .several: return (nil, nil)
            }
        }
        withExtendedLifetime(earlier) {}  // let go of here and not under the lock
        return upstream
    }

    /// Adds one more observer of `multicast()`.
    final func takeSeat() {
        state.withLock { $0.seats += 1 }
    }

    /// Takes one away; the last one cancels the work.
    final func leaveSeat() {
        let isLast = state.withLock { state in
            state.seats -= 1
            return state.seats == 0
        }
        if isLast { cancel() }
    }

    /// Runs `body`, which is called by a listener of `work`, as a part of the chain run that this one belongs to.
    @inlinable
    final func run<Result>(after work: AnyPending, _ body: () throws -> Result) rethrows -> Result {
        // Listeners run under their own object's journal already.
        try journal === work.journal ? body() : Journal.run(under: journal, body)
    }

    private func deliver() {
        if let queue { queue.async { self.drain() } } else { drain() }
    }

    /// Calls the listeners as a part of the chain run that this observer belongs to.
    private func drain() {
        Journal.run(under: journal, callListeners)
    }

    private func callListeners() {
        while let batch = nextBatch() {
            call(batch)
        }
    }

    private func call(_ batch: Batch) {
        batch.first(self)
        batch.second?(self)
        for listener in batch.rest { listener(self) }
    }

    private func nextBatch() -> Batch? {
        state.withLock { $0.takeBatch() }
    }
}

/// Two producers of one observer: a cancel reaches both.
private final class Upstreams: Cancelable {
    private let first: any Cancelable
    private let second: any Cancelable

    init(_ first: any Cancelable, _ second: any Cancelable) {
        self.first = first
        self.second = second
    }

    func cancel() {
        first.cancel()
        second.cancel()
    }
}
