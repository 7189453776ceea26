public import Dispatch

extension Observer {
    /// Listeners of the result, and operators after it, are called on `queue`.
    ///
    /// Every delivery goes through the queue, also when the work has ended already. A cancel stops a delivery that is
    /// still queued. `await` on the result does not wait for the queue: its executor decides. An operator after this
    /// one runs on the queue, and so its result comes from there.
    public func dispatchOn(_ queue: DispatchQueue) -> Observer<Value> {
        let work = pending
        let result = Pending(upstream: work, on: queue)
        // A queued outcome has not settled yet, so that a cancel can still win.
        work.add { outcome in
            queue.asyncInTask { result.settle(outcome, isOnQueue: true) }
            return nil
        }
        return Observer(pending: result)
    }

    /// The work as an object, also when it has ended already.
    private var pending: Pending {
        switch state {
        case .pending(let pending): return pending
        case .settled(let outcome):
            let pending = Pending()
            pending.settle(outcome.erased)
            return pending
        }
    }
}
