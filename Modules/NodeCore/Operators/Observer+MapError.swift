extension Observer {
    /// Turns an error into another one. A value and a cancel pass unchanged.
    @inlinable
    public func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> Observer<Value> {
        then { outcome in
            if case .failed(let error) = outcome { .emit(error: transform(error)) } else { Observer(outcome) }
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
