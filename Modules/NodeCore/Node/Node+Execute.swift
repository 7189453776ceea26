extension Node {
    /// Runs the chain on `data` and gives its value: ``process(_:)`` for `async` code.
    ///
    /// Canceling the task cancels the chain; a task that is canceled already sends nothing. Throws the chain's error,
    /// or `CancellationError` when the chain was canceled. Queues that the chain's ``ChainConfiguratorNode`` names are
    /// for callbacks; here the work starts on the concurrent executor, off the main actor, and the caller resumes on its own.
    @inlinable
    public func execute(_ data: Input) async throws -> Output {
        try Task.checkCancellation()
        return try await processInPlace(data).value
    }
}

extension Node where Input == Void {
    /// Works without input. May be called from any thread, any number of times at once.
    public func process() -> Observer<Output> {
        process(())
    }

    /// Runs the chain and gives its value, as `execute(_:)` does.
    @inlinable
    public func execute() async throws -> Output {
        try await execute(())
    }
}
