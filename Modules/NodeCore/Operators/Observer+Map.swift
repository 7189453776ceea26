extension Observer {
    /// Turns the value into another one. What `transform` throws fails the result.
    @inlinable
    @inline(__always)
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Observer<Other> {
        switch state {
        case .settled(let outcome):
            return .mapped(outcome, transform)
        case .pending(let pending):
            let pending = pending.here
            let result = Pending<Other>(after: pending)
            pending.add { ended in
                guard !result.isSettled else { return }
                guard let value = Pending<Value>.value(of: ended) else { return result.endWithoutValue(as: ended) }
                do {
                    result.complete(try result.within { try transform(value) })
                } catch {
                    result.settle(.failed(error))
                }
            }
            return Observer<Other>(pending: result)
        }
    }

    /// What `map` gives for work that has ended. A function of its own: where the types are only known at run time, room for
    /// an outcome would be made, and its type looked up, for work in progress too.
    @inlinable
    @inline(never)
    static func mapped<Source>(
        _ outcome: Outcome<Source>, _ transform: (Source) throws -> Value
    ) -> Observer<Value> {
        Observer(outcome.mapValue(transform))
    }
}
