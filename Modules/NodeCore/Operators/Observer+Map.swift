extension Observer {
    /// Turns the value into another one. What `transform` throws fails the result.
    @inlinable
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) throws -> Other) -> Observer<Other> {
        switch state {
        case .settled(let outcome): Observer<Other>(outcome.mapValue(transform))
        case .pending: then { Observer<Other>($0.mapValue(transform)) }
        }
    }

    /// The same as ``flatMap(_:)``: a `map` whose closure starts further work waits for that work.
    @inlinable
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Observer<Other>
    ) -> Observer<Other> {
        flatMap(transform)
    }
}
