// The operators of the older library that take an observer under the name of those that take a value. They are found
// where the type of the result asks for them.

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

// Without such a type, a `map` whose closure returns an observer gives an observer of an observer. What comes next says so.

extension Observer {
    /// Warns of an observer that nothing waits for.
    @available(
        *, deprecated, message: "the closure of map returned an observer, which nothing waits for: use flatMap"
    )
    @discardableResult
    public func onCompleted<Inner>(_ listener: @escaping @Sendable (Observer<Inner>) -> Void) -> Observer
    where Value == Observer<Inner> {
        onSettled { if case .completed(let value) = $0 { listener(value) } }
    }

    /// Warns of an observer that nothing waits for.
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
