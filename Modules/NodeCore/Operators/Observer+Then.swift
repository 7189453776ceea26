extension Observer {
    /// Continues with the observer that `body` returns for the outcome of this work: the operator that the others are
    /// made of.
    ///
    /// `body` is called once, where the listeners of this observer are called, and not at all when the result was
    /// canceled before. A cancel of the result reaches whichever of the two is in progress. The stack is constant, also
    /// where `body` calls itself through this operator any number of times.
    @inlinable
    package func then<Other>(
        _ body: @escaping @Sendable (Outcome<Value>) -> Observer<Other>
    ) -> Observer<Other> {
        switch state {
        case .settled(let outcome):
            let thread = ThreadDeliveries.current
            if thread.isDeep { return Observer(pending: Pending(endedWith: outcome)).then(body) }
            return thread.deeper { body(outcome) }
        case .pending(let pending):
            let pending = pending.here
            let result = Pending<Other>(after: pending)
            pending.add { ended in
                guard !result.isSettled, let outcome = Pending<Value>.end(of: ended) else { return }
                result.follow(result.within { body(outcome) })
            }
            return Observer<Other>(pending: result)
        }
    }
}
