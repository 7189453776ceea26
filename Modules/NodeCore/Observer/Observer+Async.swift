extension Observer {
    /// The value of the work, once it ends.
    ///
    /// Cancelling the task cancels the work. Throws the work's error, or `CancellationError` when it was canceled. The
    /// caller resumes on its own executor: no queue that ``dispatchOn(_:)`` named is waited for.
    public var value: Value {
        get async throws {
            let source = self.source
            if let outcome = source.outcome { return try outcome.get() }
            return try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { continuation in
                    source.onSettled { outcome in
                        switch outcome {
                        case .completed(let value): continuation.resume(returning: value)
                        case .failed(let error): continuation.resume(throwing: error)
                        case .canceled: continuation.resume(throwing: CancellationError())
                        }
                    }
                }
            } onCancel: {
                cancel()
            }
        }
    }

    /// An observer of asynchronous work, which starts at once in a task of its own.
    ///
    /// Cancelling the observer cancels the task. An error that `operation` throws fails the observer; a
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
