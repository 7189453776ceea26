extension Observer {
    /// Transforms the value. What `transform` throws fails the result.
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

    /// The result of `map` for work that has ended. A separate function, because where the types are known only at run
    /// time, storage for an outcome would be reserved, and its type metadata looked up, for work in progress too.
    @inlinable
    @inline(never)
    static func mapped<Source>(
        _ outcome: Outcome<Source>, _ transform: (Source) throws -> Value
    ) -> Observer<Value> {
        Observer(outcome.mapValue(transform))
    }
}
