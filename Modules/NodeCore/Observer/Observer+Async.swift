extension Observer {
    /// The value of the work, once it completes.
    ///
    /// Canceling the task cancels the work. Throws the work's error, or `CancellationError` when it was canceled. The
    /// caller resumes on its own executor: if this observer is the result of ``dispatchOn(_:)``, its queue isn't waited for.
    /// An operator or ``multicast()`` after it needs the queue, and so does its value: a process that never runs the main
    /// queue waits for ever for the value of `chain.process().map { $0 }`.
    public var value: Value {
        get async throws {
            switch source.state {
            case .settled(let outcome): return try outcome.get()
            case .pending(let pending):
                if let outcome = pending.outcome { return try Outcome(outcome).get() }
                let outcome = await withTaskCancellationHandler {
                    await withUnsafeContinuation { continuation in
                        pending.add { outcome in
                            continuation.resume(returning: outcome)
                            return nil
                        }
                    }
                } onCancel: {
                    cancel()
                }
                return try Outcome(outcome).get()
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
        self.init(on: nil, priority: priority, async: operation)
    }

    /// The same on an executor.
    package init(
        on executor: (any TaskExecutor)?, priority: TaskPriority? = nil,
        async operation: @escaping @Sendable () async throws -> Value
    ) {
        let pending = Pending()
        let task = Task(executorPreference: executor, priority: priority) {
            pending.settle(await Outcome.of(operation).erased)
        }
        pending.onCancel { task.cancel() }
        self.init(pending: pending)
    }
}

extension Outcome {
    /// How `operation` ends. A `CancellationError` is a cancel.
    package static func of(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Value
    ) async -> Outcome {
        do {
            return .completed(try await operation())
        } catch is CancellationError {
            return .canceled
        } catch {
            return .failed(error)
        }
    }
}
