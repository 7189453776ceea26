extension Observer {
    /// Turns an error into another one. A value and a cancel pass unchanged.
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

    /// Goes on with other work after an error, so that the result may still complete. A value and a cancel pass
    /// unchanged; what `recover` throws fails the result.
    @inlinable
    public func mapError(_ recover: @escaping @Sendable (any Error) throws -> Observer<Value>) -> Observer<Value> {
        then { outcome in
            guard case .failed(let error) = outcome else { return Observer(outcome) }
            do {
                return try recover(error)
            } catch {
                return .emit(error: error)
            }
        }
    }
}
