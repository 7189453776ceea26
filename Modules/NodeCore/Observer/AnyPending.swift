public import Dispatch
public import Synchronization

/// Something upstream that can be canceled. A second cancel, or one after its completion, does nothing.
@usableFromInline
package protocol Cancelable: AnyObject, Sendable {
    func cancel()
}

/// The part of an unsettled observer that doesn't depend on its value: listeners, what is upstream, the result.
///
/// One struct in one mutex; an event changes it, and the consequences follow after unlocking. It is not generic, so
/// that generic nodes don't pay for generic code here; ``Pending`` adds the value.
@usableFromInline
class AnyPending: Cancelable, Delivery, @unchecked Sendable {  // `state` by its mutex, `end` as said there
    /// A listener gets the pending object that it was added to, which has ended.
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

    private struct State: Sendable {
        var phase = Phase.running
        /// Set while a thread calls listeners: one at a time, so that they are called in the order of registration.
        var isDelivering = false
        /// Whether the listeners that were added before the end have been called.
        var hasDelivered = false
        /// Nearly every observer has one listener: it needs no array.
        var first: Listener?
        var second: Listener?
        var rest: [Listener] = []
        var upstream: (any Cancelable)?
        var onCancel: (@Sendable () -> Void)?
        /// The run that the work is a part of, until its listeners have been called.
        var run: Run?
        /// How many observers of `multicast()` have not been canceled.
        var seats = 0

        /// The listeners that have not been called. If there are none, the delivery is over.
        mutating func takeBatch() -> Batch? {
            guard let first else {
                isDelivering = false
                hasDelivered = true
                run = nil
                return nil
            }
            let batch = Batch(first: first, second: second, rest: rest)
            self.first = nil
            second = nil
            if !rest.isEmpty { rest = [] }
            return batch
        }
    }

    private struct Batch: Sendable {
        let first: Listener
        let second: Listener?
        let rest: [Listener]
    }

    /// What an unsettled observer kept, to be used and released after unlocking.
    private struct Kept: Sendable {
        let upstream: (any Cancelable)?
        let onCancel: (@Sendable () -> Void)?
        let run: Run?
    }

    private let state: Mutex<State>
    /// Set after `end` was written, so that a check needs no lock.
    @usableFromInline let hasEnded = Atomic(false)
    /// Written once, under the lock, by the thread that ends the work; read only after that.
    @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) final var end: End?
    /// Where listeners are called; nil for the run, or the settling thread.
    @usableFromInline let queue: DispatchQueue?

    /// Creates an unsettled one in the current run, else in the run of `work`. A cancel of it reaches `work`.
    @usableFromInline
    init(after work: AnyPending?, queue: DispatchQueue?) {
        self.queue = queue
        state = Mutex(State(upstream: work, run: Run.current ?? work?.nextRun))
    }

    init(run: Run?, upstream: (any Cancelable)?, queue: DispatchQueue?) {
        self.queue = queue
        state = Mutex(State(upstream: upstream, run: run))
    }

    @inlinable final var isSettled: Bool {
        hasEnded.load(ordering: .acquiring)
    }

    /// Where a cancel goes, until it ends.
    @usableFromInline final var upstream: (any Cancelable)? {
        state.withLock { $0.upstream }
    }

    /// The run that the work is a part of; nil when its listeners have been called.
    final var run: Run? {
        state.withLock { $0.run }
    }

    /// The run of an operator that is added outside of runs. After a queue it has no task: the listeners of the
    /// operator are called on the queue too.
    private var nextRun: Run? {
        queue == nil ? run : run?.withoutTask
    }

    /// Whether it has ended and its listeners have been called.
    final var hasDelivered: Bool {
        isSettled && state.withLock { $0.hasDelivered }
    }

    /// Whether the current run has a task, and a listener that is added now would be called elsewhere, and not on a
    /// queue that `dispatchOn` named.
    @usableFromInline final var isElsewhere: Bool {
        guard queue == nil, let mailbox = Run.current?.mailbox else { return false }
        return state.withLock { state in
            (state.phase == .running || state.isDelivering) && state.run?.mailbox !== mailbox
        }
    }

    /// Whether it delivers in the task of a run.
    @usableFromInline final var hasMailbox: Bool {
        run?.mailbox != nil
    }

    /// Calls `body` as a part of the run that this work is a part of.
    @usableFromInline
    final func within<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Run.within(run, body)
    }

    /// Ends the work; false when it had ended before. `keep` stores the value, under the lock, and does no more.
    @discardableResult
    @usableFromInline
    final func settle(_ end: End, isOnQueue: Bool = false, _ keep: () -> Void) -> Bool {
        guard let kept = mark(.settled, end, keep) else { return false }
        if isOnQueue { ThreadDeliveries.current.deeper(callListeners) } else { deliver(in: kept.run) }
        return true
    }

    /// Ends as `work` did, which failed or was canceled.
    @usableFromInline
    final func endWithoutValue(as work: AnyPending) {
        if let end = work.end { settle(end) {} }
    }

    /// Ends as canceled and passes the cancel on to the producer, which receives it before any listener is called.
    @usableFromInline
    final func cancel() {
        var batches: [DeliveryBatch] = []
        var next: (any Cancelable)? = self
        while let work = next as? AnyPending {
            let kept = work.mark(.canceled, .canceled)
            let mailbox = kept?.run?.mailbox
            if let queue = work.queue, !batches.isEmpty {
                batches = [
                    DeliveryBatch(mailbox: mailbox, deliveries: [QueuedDelivery(queue: queue, batches: batches)])
                ]
            }
            guard let kept else {
                next = nil
                break
            }
            if batches.isEmpty || batches.last?.mailbox !== mailbox { batches.append(DeliveryBatch(mailbox: mailbox)) }
            batches[batches.count - 1].deliveries.append(work)
            if let onCancel = kept.onCancel { Run.within(kept.run, onCancel) }
            next = kept.upstream
        }
        next?.cancel()
        batches.makeAll()
    }

    /// Records the result without calling listeners; nil when the work had ended before. The caller delivers. `keep` is
    /// called under the lock.
    private func mark(_ phase: Phase, _ end: End, _ keep: () -> Void = {}) -> Kept? {
        state.taking { state in
            guard state.phase == .running else { return nil }
            state.phase = phase
            state.isDelivering = true
            keep()
            self.end = end
            hasEnded.store(true, ordering: .releasing)
            let kept = Kept(upstream: state.upstream, onCancel: state.onCancel, run: state.run)
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
            state.run = Run.current
            return true
        }
        if isMine { ThreadDeliveries.current.make(self) }
    }

    /// Makes a cancel of this observer reach `upstream`, too; at once when it has been canceled already. What was
    /// attached earlier stays attached until it has ended.
    @usableFromInline
    final func attach(upstream: any Cancelable) {
        let (phase, _) = state.taking { state -> (Phase, (any Cancelable)?) in
            guard state.phase == .running else { return (state.phase, nil) }
            let earlier = state.upstream
            state.upstream = Upstreams.of(earlier, upstream)
            return (.running, earlier)
        }
        if phase == .canceled { upstream.cancel() }
    }

    /// Sets what a cancel calls; at once when the observer has been canceled already. A second handler is called after
    /// the first.
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
        if phase == .canceled { handler() }
    }

    /// Adds one more observer of `multicast()`.
    final func takeSeat() {
        state.withLock { $0.seats += 1 }
    }

    /// Removes one; the last one cancels the work.
    final func leaveSeat() {
        let isLast = state.withLock { state in
            state.seats -= 1
            return state.seats == 0
        }
        if isLast { cancel() }
    }

    /// Delivers in the task of the run; on this thread where there is none.
    private func deliver(in run: Run?) {
        let thread = ThreadDeliveries.current
        if let mailbox = run?.mailbox, mailbox !== thread.mailbox, mailbox.post(CollectionOfOne<any Delivery>(self)) {
            return
        }
        thread.make(self)
    }

    /// Calls the listeners: here, or on the queue if there is one.
    final func deliver() {
        if let queue {
            queue.asyncInTask { ThreadDeliveries.current.deeper(self.callListeners) }
        } else {
            callListeners()
        }
    }

    /// Calls the listeners as a part of the run that this observer belongs to.
    private func callListeners() {
        Run.within(run) {
            while let batch = nextBatch() {
                batch.first(self)
                batch.second?(self)
                for listener in batch.rest { listener(self) }
            }
        }
    }

    private func nextBatch() -> Batch? {
        state.taking { $0.takeBatch() }
    }
}

/// The deliveries of a cancel for one task, from the last operator up. They are posted together, since the task must
/// not end between two of them.
private struct DeliveryBatch: Sendable {
    let mailbox: Mailbox?
    var deliveries: [any Delivery] = []
}

extension [DeliveryBatch] {
    /// Makes the deliveries, from the producer down.
    fileprivate func makeAll() {
        let thread = ThreadDeliveries.current
        for batch in reversed() {
            let deliveries = batch.deliveries.reversed()
            if let mailbox = batch.mailbox, mailbox !== thread.mailbox, mailbox.post(deliveries) { continue }
            for delivery in deliveries { thread.make(delivery) }
        }
    }
}

/// The deliveries of a cancel that follow on a queue.
private final class QueuedDelivery: Delivery {
    let queue: DispatchQueue
    let batches: [DeliveryBatch]

    init(queue: DispatchQueue, batches: [DeliveryBatch]) {
        self.queue = queue
        self.batches = batches
    }

    func deliver() {
        queue.asyncInTask { [batches] in batches.makeAll() }
    }
}

/// Several producers of one observer: a cancel reaches all.
private final class Upstreams: Cancelable {
    private let all: [any Cancelable]

    private init(_ all: [any Cancelable]) {
        self.all = all
    }

    /// `new`, with `earlier` as far as that has not ended.
    static func of(_ earlier: (any Cancelable)?, _ new: any Cancelable) -> any Cancelable {
        let earlier = (earlier as? Upstreams)?.all ?? earlier.map { [$0] } ?? []
        let running = earlier.filter { ($0 as? AnyPending)?.isSettled != true }
        return running.isEmpty ? new : Upstreams(running + [new])
    }

    func cancel() {
        for work in all { work.cancel() }
    }
}
