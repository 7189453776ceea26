extension Observer {
    /// Continues with other work after an error, so that the result may still complete. A value and a cancel pass
    /// unchanged; what `recover` throws fails the result.
    @inlinable
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
}
