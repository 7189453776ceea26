import Dispatch

extension Observer {
    /// Listeners of the result, and operators after it, are called on `queue`.
    ///
    /// Every delivery goes through the queue, also when the work has ended already. A cancel stops a delivery that
    /// still waits in the queue. `await` on the result does not wait for the queue: its executor decides.
    public func dispatchOn(_ queue: DispatchQueue) -> Observer<Value> {
        let result = DispatchPending(source: self, queue: queue)
        switch state {
        case .settled(let outcome): result.receive(outcome)
        case .pending(let pending):
            result.attach(upstream: pending)
            pending.add(.receiver(result))
        }
        return Observer(pending: result)
    }
}

/// Delivers on a queue. What waits in the queue has not settled yet, so that a cancel can still win.
private final class DispatchPending<Value: Sendable>: Pending<Value>, Receiver, @unchecked Sendable {  // let only
    private let before: Observer<Value>
    private let queue: DispatchQueue

    init(source: Observer<Value>, queue: DispatchQueue) {
        before = source
        self.queue = queue
        super.init(journal: source.journal)
    }

    override var source: Observer<Value> {
        // A cancel of this observer that came first must be seen by who waits for the source too.
        outcome.map { Observer($0) } ?? before.source
    }

    func receive(_ outcome: Outcome<Value>) {
        queue.async {
            if self.mark(outcome) != nil { self.drain() }
        }
    }

    override func deliver() {
        queue.async { self.drain() }
    }
}
