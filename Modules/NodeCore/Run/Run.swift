/// One execution of a chain: its journal, the admissions of its gates, and the task that its nodes run in.
///
/// - Each pending observer keeps the run in which it was created, and its listeners are called as a part of that run.
/// - ``Execution`` creates a run in the current task. A chain without a task (`.inPlace`) has runs without a mailbox,
///   whose listeners are called on the thread that settles the observer.
/// - A node that adds something for the nodes downstream derives a run from the current one (``with(journal:)``,
///   ``with(_:)``). Derived runs share the mailbox: they are the same execution.
@usableFromInline
package final class Run: Sendable {
    /// The run that the code on this thread or in this task is a part of. Tasks that are started meanwhile inherit it.
    @TaskLocal package static var current: Run?

    /// The journal of the run; nil when no logger reads it.
    package let journal: Journal?
    /// What the gates issued that admitted the run, at most one of each gate.
    package let admissions: [any Admission]
    /// When the request was made that the run sends: its outermost chain was called. nil for code outside of requests,
    /// such as the caller's listeners.
    package let madeAt: LogicalTime?
    /// Deliveries that wait for the task of the run; nil without a task.
    let mailbox: Mailbox?

    private init(journal: Journal?, admissions: [any Admission], madeAt: LogicalTime?, mailbox: Mailbox?) {
        self.journal = journal
        self.admissions = admissions
        self.madeAt = madeAt
        self.mailbox = mailbox
    }

    /// The same execution with `journal` for the nodes downstream.
    package static func with(journal: Journal?) -> Run {
        Run(
            journal: journal, admissions: current?.admissions ?? [], madeAt: current?.madeAt, mailbox: current?.mailbox)
    }

    /// The same execution with `admission`, which replaces an earlier one of the same gate.
    package static func with(_ admission: any Admission) -> Run {
        let admissions = (current?.admissions ?? []).with(admission)
        return Run(
            journal: current?.journal, admissions: admissions, madeAt: current?.madeAt, mailbox: current?.mailbox)
    }

    /// The same execution for a request that is made at `time`.
    func made(at time: LogicalTime) -> Run {
        Run(journal: journal, admissions: admissions, madeAt: time, mailbox: mailbox)
    }

    /// A run for work that outlives the current one and serves others too: it has only the journal and these
    /// admissions.
    package static func detached(with admissions: [any Admission]) -> Run {
        Run(journal: current?.journal, admissions: admissions, madeAt: nil, mailbox: nil)
    }

    /// The same execution without its task: what several tasks may end is delivered by the one that ends it.
    var withoutTask: Run {
        mailbox == nil ? self : Run(journal: journal, admissions: admissions, madeAt: madeAt, mailbox: nil)
    }

    /// The current run, or one without a journal and admissions where there is none.
    package static var currentOrEmpty: Run {
        current ?? Run(journal: nil, admissions: [], madeAt: nil, mailbox: nil)
    }

    /// Whether this thread executes a synchronous section of the task of the current run.
    static var isExecutedHere: Bool {
        guard let mailbox = current?.mailbox else { return false }
        return mailbox === ThreadDeliveries.current.mailbox
    }

    /// Calls `body` as a part of `run` only.
    package static func within<Result>(_ run: Run?, _ body: () throws -> Result) rethrows -> Result {
        if run === current { return try body() }
        return try $current.withValue(run, operation: body)
    }

    /// A run in a task, which inherits the journal and the admissions of another one.
    ///
    /// - Parameter time: when its request was made; nil for the time of the other run.
    static func inTask(with mailbox: Mailbox, after run: Run? = .current, madeAt time: LogicalTime? = nil) -> Run {
        Run(journal: run?.journal, admissions: run?.admissions ?? [], madeAt: time ?? run?.madeAt, mailbox: mailbox)
    }

    /// Calls `body` in the task of this run, with its task-local values and priority; on this thread where the run has
    /// no task, or has ended.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        let delivery: any Delivery = Performance(run: self, body: body)
        if let mailbox, mailbox !== ThreadDeliveries.current.mailbox, mailbox.post(CollectionOfOne(delivery)) { return }
        delivery.deliver()
    }
}

/// A closure that is called as a part of a run.
private final class Performance: Delivery {
    let run: Run
    let body: @Sendable () -> Void

    init(run: Run, body: @escaping @Sendable () -> Void) {
        self.run = run
        self.body = body
    }

    func deliver() {
        Run.within(run, body)
    }
}
