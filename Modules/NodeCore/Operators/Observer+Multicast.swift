extension Observer {
    /// Returns another observer of the same work: canceling it ends only that observer.
    ///
    /// The work is canceled when every observer that `multicast()` returned for it has been canceled, so give each
    /// consumer one:
    ///
    /// ```swift
    /// let work = node.process(data)
    /// let shown = work.multicast().onCompleted { show($0) }
    /// let stored = work.multicast().onCompleted { store($0) }
    /// shown.cancel()  // `stored` still gets its value
    /// ```
    ///
    /// Listeners of the original observer don't count as consumers here.
    public func multicast() -> Observer<Value> {
        guard case .pending(let work) = state else { return self }
        let copy = Pending<Value>(
            run: Run.current ?? work.run?.withoutTask, upstream: Seat(work: work), on: work.queue)
        work.takeSeat()
        // For work with a queue this is called on the queue.
        work.listen { copy.settle($0, isOnQueue: work.queue != nil) }
        return Observer(pending: copy)
    }
}

/// One consumer's share of the work; the last one to cancel cancels the work.
private final class Seat: Cancelable {
    let work: AnyPending

    init(work: AnyPending) {
        self.work = work
    }

    func cancel() {
        work.leaveSeat()
    }
}
