extension Observer {
    /// Calls `handler` with an error of the type that it takes, and ignores other errors.
    ///
    /// The returned observer still settles as this one does, the error included, after the handler has returned.
    public func catchError<Failure: Error>(_ handler: @escaping @Sendable (Failure) -> Void) -> Observer<Value> {
        then { outcome in
            if case .failed(let error) = outcome, let failure = error as? Failure { handler(failure) }
            return Observer(outcome)
        }
    }
}
