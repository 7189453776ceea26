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
// operators warn about it. They have no generic parameter of their own, because the compiler prefers methods without one.

/// An observer of any value. A constraint to it selects observers of observers.
public protocol AnyObserver {}

extension Observer: AnyObserver {}

extension Observer where Value: AnyObserver {
    /// Deprecated: warns that nothing waits for the inner observer.
    @available(
        *, deprecated, message: "the closure of map returned an observer, which nothing waits for: use flatMap"
    )
    @discardableResult
    public func onCompleted(_ listener: @escaping @Sendable (Value) -> Void) -> Observer {
        onSettled { if case .completed(let value) = $0 { listener(value) } }
    }

    /// Deprecated: warns that nothing waits for the inner observer.
    @available(
        *, deprecated, message: "the closure of map returned an observer, which nothing waits for: use flatMap"
    )
    public var value: Value {
        get async throws { try await unconstrained(self) }
    }
}

/// The value by the property that observers of any value have.
private func unconstrained<Value>(_ observer: Observer<Value>) async throws -> Value {
    try await observer.value
}

extension Observer {
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
