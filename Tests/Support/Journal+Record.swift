package import NodeCore

extension Journal {
    /// Calls `body` as a part of a chain run that writes into this journal.
    package func record<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Run.within(Run.with(journal: self), body)
    }
}
