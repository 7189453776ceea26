/// What a chain's run passes to all the code that it calls: the journal, the admissions of its gates, when the request
/// was made, its deadline, and the token refreshes that it is a part of.
///
/// A node that adds something for the nodes downstream calls them with a changed one. Tasks inherit it.
package final class Run: Sendable {
    /// The run that the code in this task is a part of.
    @TaskLocal package static var current: Run?

    /// The journal of the run; nil when no logger reads it.
    package let journal: Journal?
    /// What the gates issued that admitted the run, at most one of each gate.
    package let admissions: [any Admission]
    /// When the request was made that the run sends: its outermost chain was called. nil for code outside of requests.
    package let madeAt: LogicalTime?
    /// The token refreshes that the run is a part of: the number of each by that of its gate. A request of the run must
    /// not wait for one of them.
    package let refreshes: [Int: Int]
    /// How much is left of the innermost deadline; nil without one.
    package let timeLeft: (@Sendable () -> Duration)?

    package init(
        journal: Journal?, admissions: [any Admission], madeAt: LogicalTime?, refreshes: [Int: Int] = [:],
        timeLeft: (@Sendable () -> Duration)? = nil
    ) {
        self.journal = journal
        self.admissions = admissions
        self.madeAt = madeAt
        self.refreshes = refreshes
        self.timeLeft = timeLeft
    }

    /// The current run with what is given in place of its own.
    private static func changed(
        journal: Journal?? = .none, admissions: [any Admission]? = nil, madeAt: LogicalTime? = nil,
        timeLeft: (@Sendable () -> Duration)? = nil
    ) -> Run {
        let run = current
        return Run(
            journal: journal ?? run?.journal, admissions: admissions ?? run?.admissions ?? [],
            madeAt: madeAt ?? run?.madeAt, refreshes: run?.refreshes ?? [:], timeLeft: timeLeft ?? run?.timeLeft)
    }

    /// The current run with another journal.
    package static func with(journal: Journal?) -> Run { changed(journal: journal) }

    /// The current run with `admission`, which replaces an earlier one of the same gate.
    package static func with(_ admission: any Admission) -> Run {
        changed(admissions: (current?.admissions ?? []).with(admission))
    }

    /// The current run with a deadline.
    package static func with(timeLeft: @escaping @Sendable () -> Duration) -> Run { changed(timeLeft: timeLeft) }

    /// The current run, for a request that is made now.
    package static func ofRequestMadeNow() -> Run { changed(madeAt: .now) }

    /// A run for a request that is no part of the current one, although its code makes it: it has the same journal, no
    /// admission and no deadline. It remains a part of a token refresh, for which it must not wait.
    package static func ofNewRequest() -> Run {
        let run = current
        return Run(journal: run?.journal, admissions: [], madeAt: .now, refreshes: run?.refreshes ?? [:])
    }

    /// Calls `body` as a part of `run` only.
    package static func within<Result>(_ run: Run?, _ body: () throws -> Result) rethrows -> Result {
        try $current.withValue(run, operation: body)
    }
}
