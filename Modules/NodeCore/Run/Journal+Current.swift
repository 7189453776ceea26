extension Journal {
    /// The journal of the chain run that the current code belongs to; nil when no logger reads one.
    public static var current: Journal? {
        Run.current?.journal
    }

    /// Calls `body` as a part of a chain run that writes into this journal.
    package func record<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Run.$current.withValue(Run.with(journal: self)) { try await body() }
    }
}
