public import Dispatch

extension Observer {
    /// Listeners of the result, and operators after it, are called on `queue`.
    ///
    /// Every delivery goes through the queue, also when the work has ended already. A cancel stops a delivery that
    /// still waits in the queue. `await` on the result does not wait for the queue: its executor decides. What an
    /// operator after this one gives does come from the queue, where that operator works.
    public func dispatchOn(_ queue: DispatchQueue) -> Observer<Value> {
        let work = pending
        let result = Pending<Value>(after: work, on: queue)
        // What waits in the queue has not settled yet, so that a cancel can still win.
        work.listen { outcome in
            queue.asyncInTask { result.settle(outcome, isOnQueue: true) }
        }
        return Observer(pending: result)
    }

    /// The work as an object, also when it has ended already.
    private var pending: Pending<Value> {
        switch state {
        case .pending(let pending): return pending
        case .settled(let outcome): return Pending(endedWith: outcome)
        }
    }
}
