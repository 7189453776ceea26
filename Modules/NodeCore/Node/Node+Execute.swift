extension Node {
    /// Runs the chain on `data` and returns its value: ``process(_:)`` for `async` code.
    ///
    /// The nodes run in the current task: on the concurrent executor, or on the one that the task prefers, never on the
    /// caller's actor. Queues that the chain's ``ChainConfiguratorNode`` names are for callbacks.
    ///
    /// Canceling the task cancels the chain; a task that is canceled already sends nothing. Throws the chain's error,
    /// or `CancellationError` when the chain was canceled.
    public func execute(_ data: Input) async throws -> Output {
        try await Execution.outcome { self.process(data) }.get()
    }
}

extension Node {
    /// Runs the chain as ``execute(_:)`` does, for a request that is made now, also within the run of another request.
    package func executeAsRequest(_ data: Input) async throws -> Output {
        guard let run = Run.current, run.madeAt != nil else { return try await execute(data) }
        return try await Run.$current.withValue(run.made(at: .now)) { try await execute(data) }
    }

    /// Runs the chain as ``process(_:)`` does, for a request that is made now, also within the run of another request.
    package func processAsRequest(_ data: Input) -> Observer<Output> {
        guard let run = Run.current, run.madeAt != nil else { return process(data) }
        return Run.within(run.made(at: .now)) { process(data) }
    }
}

extension Node where Input == Void {
    /// Runs the chain without input. May be called from any thread, any number of times at once.
    public func process() -> Observer<Output> {
        process(())
    }

    /// Runs the chain and returns its value, as `execute(_:)` does.
    public func execute() async throws -> Output {
        try await execute(())
    }
}
