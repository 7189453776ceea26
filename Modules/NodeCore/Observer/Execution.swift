/// The execution of a run in a task.
package struct Execution {
    private let run: Run
    private let mailbox: Mailbox

    /// Executes `work` in the current task and returns how it ended.
    ///
    /// The observers that `work` makes, and those that follow from them, deliver in this task, one after the other. The
    /// task is parked while there is nothing to deliver. Canceling it cancels the work; a task that is canceled already
    /// starts none.
    ///
    /// - Parameters:
    ///   - run: the run whose journal and admissions it inherits; the current one without it.
    ///   - time: when the request was made; by default when that of the run was, or else now.
    ///   - work: starts the work.
    package static func outcome<Value: Sendable>(
        in run: Run? = .current, madeAt time: LogicalTime? = nil, of work: @Sendable () -> Observer<Value>
    ) async -> Outcome<Value> {
        if Task.isCancelled { return .canceled }
        let mailbox = Mailbox()
        let run = Run.inTask(with: mailbox, after: run, madeAt: time ?? run?.madeAt ?? .now)
        let execution = Execution(run: run, mailbox: mailbox)
        switch execution.section({ work().source.inTask }) {
        case .settled(let outcome):
            execution.end()
            return outcome
        case .pending(let pending):
            await execution.wait(for: pending)
            execution.end()
            // Read here and not passed on, so that the value is released on this thread, which may have created it.
            return pending.ended ?? .failed(ChainError.abandoned(Value.self))
        }
    }

    /// Delivers until `work`, which belongs to the run, has ended and called its listeners.
    private func wait(for work: AnyPending) async {
        await withTaskCancellationHandler {
            while !work.hasDelivered {
                await mailbox.park()
                section { mailbox.deliverAll() }
            }
        } onCancel: {
            work.cancel()
        }
    }

    /// Makes the remaining deliveries. Work that ends later is delivered by the thread that ends it.
    private func end() {
        section { mailbox.deliverAll(isLast: true) }
    }

    /// Calls `body` as a synchronous section of the task, with all deliveries that it leads to.
    private func section<Result>(_ body: () -> Result) -> Result {
        ThreadDeliveries.current.section(of: mailbox) { Run.within(run, body) }
    }
}
