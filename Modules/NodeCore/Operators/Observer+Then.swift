extension Observer {
    /// Continues with the observer that `body` returns for the outcome of this work: the operator that the others are
    /// made of.
    ///
    /// `body` is called once, where the listeners of this observer are called, and not at all when the result was
    /// canceled before. A cancel of the result reaches whichever of the two is in progress.
    @inlinable
    package func then<Other>(
        _ body: @escaping @Sendable (Outcome<Value>) -> Observer<Other>
    ) -> Observer<Other> {
        switch state {
        case .settled(let outcome): return body(outcome)
        case .pending(let work):
            let result = Pending(upstream: work)
            let values = CallersValues()
            work.add { outcome in
                guard !result.isSettled else { return nil }
                values.call { result.end(as: body(Outcome(outcome))) }
                return result
            }
            return Observer<Other>(pending: result)
        }
    }
}
