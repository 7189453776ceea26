extension Observer {
    /// Starts further work with the value and ends as that work does. What `transform` throws fails the result.
    ///
    /// A cancel reaches whichever of the two is in progress; `transform` isn't called after it.
    @inlinable
    public func flatMap<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Observer<Other>
    ) -> Observer<Other> {
        then { outcome in
            do {
                return try transform(try outcome.get())
            } catch {
                return Observer<Other>(outcome.isCanceled ? .canceled : .failed(error))
            }
        }
    }

    /// Transforms the value. What `transform` throws fails the result.
    @inlinable
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Observer<Other> {
        guard case .settled(let outcome) = state else { return flatMap { .emit(data: try transform($0)) } }
        do { return Observer<Other>(try outcome.map(transform)) } catch { return .emit(error: error) }
    }
}
