extension Observer {
    /// Goes on with what `body` gives for the end of this work, whichever end it is: the operator that the others are
    /// made of.
    ///
    /// `body` runs once, on the thread that settles this observer, and not at all when the result was canceled before.
    /// A cancel of the result reaches whichever of the two is in progress.
    @inlinable
    public func then<Other>(
        _ body: @escaping @Sendable (Outcome<Value>) -> Observer<Other>
    ) -> Observer<Other> {
        switch state {
        case .settled(let outcome):
            return body(outcome)
        case .pending(let pending):
            let result = Pending<Other>(after: pending)
            pending.add { ended in
                guard !result.isSettled, let outcome = Pending<Value>.end(of: ended) else { return }
                result.follow(result.run(after: ended) { body(outcome) })
            }
            return Observer<Other>(pending: result)
        }
    }
}
