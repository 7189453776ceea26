extension Observer {
    /// The value of the work, once it completes.
    ///
    /// Canceling the task cancels the work. Throws the work's error, or `CancellationError` when it was canceled. The
    /// caller resumes on its own executor: no queue that ``dispatchOn(_:)`` named is waited for.
    @inlinable public var value: Value {
        get async throws {
            switch source.state {
            case .settled(let outcome): return try outcome.get()
            case .pending(let pending):
                if !pending.isSettled {
                    await withTaskCancellationHandler {
                        await withUnsafeContinuation { continuation in pending.add { _ in continuation.resume() } }
                    } onCancel: {
                        cancel()
                    }
                }
                guard let end = pending.outcome else { throw ChainError.abandoned(Value.self) }
                return try end.get()
            }
        }
    }

    /// Creates an observer of asynchronous work, which starts at once in a separate task.
    ///
    /// Canceling the observer cancels the task. An error that `operation` throws fails the observer; a
    /// `CancellationError` ends it as canceled.
    public init(
        priority: TaskPriority? = nil,
        async operation: @escaping @Sendable () async throws -> Value
    ) {
        let context = Context<Value>()
        let task = Task(priority: priority) {
            do {
                context.emit(data: try await operation())
            } catch is CancellationError {
                context.cancel()
            } catch {
                context.emit(error: error)
            }
        }
        context.onCancel { task.cancel() }
        self = context.observer
    }
}
