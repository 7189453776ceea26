import Synchronization

extension Observer {
    /// An observer of its own over the same work: cancelling it ends it only.
    ///
    /// The work is cancelled when every observer that `multicast()` gave of it has been cancelled, so give each
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
        let copy = Pending<Value>(journal: work.journal)
        work.state.withLock { $0.seats += 1 }
        copy.attach(upstream: Seat(work: work))
        work.add(.forward(copy))
        return Observer(pending: copy)
    }
}

/// One consumer's place at shared work; giving up the last one cancels the work.
private final class Seat<Value: Sendable>: Cancelable {
    let work: Pending<Value>

    init(work: Pending<Value>) {
        self.work = work
    }

    func cancel() {
        let isLast = work.state.withLock { state in
            state.seats -= 1
            return state.seats == 0
        }
        if isLast { work.cancel() }
    }
}
