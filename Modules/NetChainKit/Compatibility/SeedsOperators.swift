// Operators of the older library, which have one name for closures that return an observer and for closures that return
// a value. The compiler selects these overloads by the type of the result.

public import NodeCore

extension Observer {
    /// The same as `flatMap(_:)`.
    @_disfavoredOverload
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Observer<Other>
    ) -> Observer<Other> {
        flatMap(transform)
    }

    /// The same as `recover(_:)`.
    @_disfavoredOverload
    public func mapError(_ recover: @escaping @Sendable (any Error) throws -> Observer<Value>) -> Observer<Value> {
        self.recover(recover)
    }
}

// Without a result type, a `map` whose closure returns an observer returns an observer of an observer. The following
// operators warn about it.

extension Observer {
    /// Deprecated: warns that nothing waits for the inner observer.
    @available(
        *, deprecated, message: "the closure of map returned an observer, which nothing waits for: use flatMap"
    )
    @discardableResult
    public func onCompleted<Inner>(_ listener: @escaping @Sendable (Observer<Inner>) -> Void) -> Observer
    where Value == Observer<Inner> {
        onSettled { if case .completed(let value) = $0 { listener(value) } }
    }

    /// Deprecated: warns that nothing waits for the inner observer.
    @available(
        *, deprecated, message: "the closure of map returned an observer, which nothing waits for: use flatMap"
    )
    public func flatMap<Inner, Other: Sendable>(
        _ transform: @escaping @Sendable (Observer<Inner>) throws -> Observer<Other>
    ) -> Observer<Other> where Value == Observer<Inner> {
        then { outcome in
            switch outcome {
            case .completed(let value):
                do { return try transform(value) } catch { return .emit(error: error) }
            case .failed(let error): return .emit(error: error)
            case .canceled: return Observer<Other>(.canceled)
            }
        }
    }
}
