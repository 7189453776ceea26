/// What a chain's run tells all the code that it calls: the journal, the admissions of its gates, and when the request
/// was made.
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

    package init(journal: Journal?, admissions: [any Admission], madeAt: LogicalTime?) {
        self.journal = journal
        self.admissions = admissions
        self.madeAt = madeAt
    }

    /// The current run with another journal.
    package static func with(journal: Journal?) -> Run {
        Run(journal: journal, admissions: current?.admissions ?? [], madeAt: current?.madeAt)
    }

    /// The current run with `admission`, which replaces an earlier one of the same gate.
    package static func with(_ admission: any Admission) -> Run {
        let admissions = (current?.admissions ?? []).with(admission)
        return Run(journal: current?.journal, admissions: admissions, madeAt: current?.madeAt)
    }

    /// The current run, for a request that is made now.
    package static func ofRequestMadeNow() -> Run {
        Run(journal: current?.journal, admissions: current?.admissions ?? [], madeAt: .now)
    }

    /// Calls `body` as a part of `run` only.
    package static func within<Result>(_ run: Run?, _ body: () throws -> Result) rethrows -> Result {
        try $current.withValue(run, operation: body)
    }
}
