extension Observer {
    /// Starts further work with the value and completes with both values.
    ///
    /// Where `provider` returns nil the result fails with ``ChainError/Code/nothingToChain``.
    public func chain<Other: Sendable>(
        with provider: @escaping @Sendable (Value) -> Observer<Other>?
    ) -> Observer<(Value, Other)> {
        flatMap { value -> Observer<(Value, Other)> in
            guard let next = provider(value) else { throw ChainError.nothingToChain(Other.self) }
            return next.map { (value, $0) }
        }
    }
}
