extension Observer {
    /// An observer of its own over the same work: canceling it ends it only.
    ///
    /// The work is canceled when every observer that `multicast()` gave of it has been canceled, so give each
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
        // A work with a queue calls this on it.
        work.listen { copy.settle($0, isOnQueue: work.queue != nil) }
        return Observer(pending: copy)
    }
}

/// One consumer's place at shared work; giving up the last one cancels the work.
private final class Seat: Cancelable {
    let work: AnyPending

    init(work: AnyPending) {
        self.work = work
    }

    func cancel() {
        work.leaveSeat()
    }
}
