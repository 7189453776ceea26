import Dispatch

/// An observer whose listeners are closures on the main actor, for screens and other code there.
///
/// ```swift
/// chain.process().onMain
///     .onCompleted { self.user = $0 }
///     .onError { self.message = "\($0)" }
/// ```
///
/// Listeners are called on the main thread, each exactly once, in the order of registration.
public struct MainActorObserver<Value: Sendable>: Sendable {
    private let observer: Observer<Value>

    init(_ observer: Observer<Value>) {
        self.observer = observer
    }

    /// Calls `listener` with the value when the work completes.
    @discardableResult
    public func onCompleted(_ listener: @escaping @MainActor @Sendable (Value) -> Void) -> MainActorObserver {
        onSettled { if case .completed(let value) = $0 { listener(value) } }
    }

    /// Calls `listener` with the error when the work fails. A cancel is not an error.
    @discardableResult
    public func onError(_ listener: @escaping @MainActor @Sendable (any Error) -> Void) -> MainActorObserver {
        onSettled { if case .failed(let error) = $0 { listener(error) } }
    }

    /// Calls `listener` when the work is canceled.
    @discardableResult
    public func onCanceled(_ listener: @escaping @MainActor @Sendable () -> Void) -> MainActorObserver {
        onSettled { if case .canceled = $0 { listener() } }
    }

    /// Calls `listener` when the work completes, fails or is canceled.
    @discardableResult
    public func `defer`(_ listener: @escaping @MainActor @Sendable () -> Void) -> MainActorObserver {
        onSettled { _ in listener() }
    }

    /// Waits for the value; see `Observer.value`.
    public var value: Value {
        get async throws { try await observer.value }
    }

    /// Cancels the work; see `Observer.cancel()`.
    public func cancel() {
        observer.cancel()
    }

    private func onSettled(
        _ listener: @escaping @MainActor @Sendable (Outcome<Value>) -> Void
    ) -> MainActorObserver {
        observer.onSettled { outcome in MainActor.assumeIsolated { listener(outcome) } }
        return self
    }
}

extension Observer {
    /// The same work for listeners on the main actor.
    public var onMain: MainActorObserver<Value> {
        MainActorObserver(source.dispatchOn(.main))
    }
}
