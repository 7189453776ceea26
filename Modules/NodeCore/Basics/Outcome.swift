/// How the work behind an ``Observer`` ended.
///
/// There are exactly three outcomes, and an observer reaches one of them once.
public enum Outcome<Value: Sendable>: Sendable {
    /// The work completed with this value.
    case completed(Value)
    /// The work failed with this error.
    case failed(any Error)
    /// The work was canceled, by its consumer or by its producer.
    case canceled

    /// The value when completed, nil otherwise.
    public var value: Value? {
        if case .completed(let value) = self { value } else { nil }
    }

    /// The error when failed, nil otherwise.
    public var error: (any Error)? {
        if case .failed(let error) = self { error } else { nil }
    }

    /// Whether the work was canceled.
    public var isCanceled: Bool {
        if case .canceled = self { true } else { false }
    }

    /// The value, or the error thrown; a cancel is thrown as `CancellationError`.
    public func get() throws -> Value {
        switch self {
        case .completed(let value): return value
        case .failed(let error): throw error
        case .canceled: throw CancellationError()
        }
    }

    /// The same with another value.
    @inlinable package func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Outcome<Other> {
        switch self {
        case .completed(let value): .completed(try transform(value))
        case .failed(let error): .failed(error)
        case .canceled: .canceled
        }
    }
}
