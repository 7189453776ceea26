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
        let copy = Pending(on: work.queue)
        copy.onCancel { work.removeConsumer() }
        work.addConsumer()
        work.add(copy.end)
        return Observer(pending: copy)
    }
}
