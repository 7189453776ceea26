extension Observer {
    /// Continues with other work after an error, so that the result may still complete. A value and a cancel pass
    /// unchanged; what `recover` throws fails the result.
    public func recover(_ recover: @escaping @Sendable (any Error) throws -> Observer<Value>) -> Observer<Value> {
        then { outcome in
            guard case .failed(let error) = outcome else { return Observer(outcome) }
            do {
                return try recover(error)
            } catch {
                return .emit(error: error)
            }
        }
    }

    /// Transforms an error. A value and a cancel pass unchanged.
    public func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> Observer<Value> {
        recover { throw transform($0) }
    }
}
