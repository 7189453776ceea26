extension Observer {
    /// Starts further work with the value and ends as that work does. What `transform` throws fails the result.
    ///
    /// A cancel reaches whichever of the two is in progress; `transform` isn't called after it.
    @inlinable
    public func flatMap<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Observer<Other>
    ) -> Observer<Other> {
        then { outcome in
            switch outcome {
            case .completed(let value):
                do {
                    return try transform(value)
                } catch {
                    return .emit(error: error)
                }
            case .failed(let error): return .emit(error: error)
            case .canceled: return Observer<Other>(.canceled)
            }
        }
    }
}
