extension Observer {
    /// Transforms an error. A value and a cancel pass unchanged.
    @inlinable
    public func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> Observer<Value> {
        switch state {
        case .settled(.failed(let error)):
            return .emit(error: transform(error))
        case .settled:
            return self
        case .pending(let pending):
            let pending = pending.here
            let result = Pending<Value>(after: pending)
            pending.add { ended in
                guard !result.isSettled else { return }
                if let value = Pending<Value>.value(of: ended) { return result.complete(value) }
                guard case .failed(let error) = ended.end else { return result.endWithoutValue(as: ended) }
                result.settle(.failed(result.within { transform(error) }))
            }
            return Observer(pending: result)
        }
    }
}
