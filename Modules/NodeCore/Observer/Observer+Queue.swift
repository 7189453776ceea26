package import Dispatch

extension Observer {
    /// An observer of `work`, which runs on `queue`, unless it is cancelled before. Listeners, and operators after it, are
    /// called there, also those that are added when it has ended.
    package init(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Outcome<Value>) {
        let pending = Pending<Value>(on: queue)
        queue.async {
            guard !pending.isSettled else { return }
            pending.settle(Journal.run(under: pending.journal, work), isOnQueue: true)
        }
        self.init(pending: pending)
    }
}
