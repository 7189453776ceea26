/// The execution of a run in a task.
package struct Execution {
    private let run: Run
    private let mailbox: Mailbox

    /// Executes `work` in the current task and returns how it ended.
    ///
    /// The observers that `work` makes, and those that follow from them, deliver in this task, one after the other. The
    /// task is parked while there is nothing to deliver. Canceling it cancels the work; a task that is canceled already
    /// starts none.
    package static func outcome<Value: Sendable>(
        of work: @Sendable () -> Observer<Value>
    ) async -> Outcome<Value> {
        if Task.isCancelled { return .canceled }
        let mailbox = Mailbox()
        let execution = Execution(run: Run.inCurrentTask(with: mailbox), mailbox: mailbox)
        switch execution.section(work).source.state {
        case .settled(let outcome):
            execution.end()
            return outcome
        case .pending(let pending):
            if !pending.isSettled { await execution.wait(for: pending) }
            execution.end()
            // Read here and not handed over, so that the value is released on this thread, which may have made it.
            return pending.ended ?? .failed(ObserverError.abandoned(Value.self))
        }
    }

    /// Delivers until `work` has ended.
    private func wait(for work: AnyPending) async {
        if work.queue != nil || work.run?.mailbox !== mailbox { work.add { _ in mailbox.wake() } }
        await withTaskCancellationHandler {
            while !work.isSettled {
                await mailbox.park()
                section { mailbox.deliverAll() }
            }
        } onCancel: {
            work.cancel()
        }
    }

    /// Delivers what is left. What ends later is delivered by the thread that ends it.
    private func end() {
        section { mailbox.deliverAll(isLast: true) }
    }

    /// Calls `body` as a synchronous section of the task, with all deliveries that it leads to.
    private func section<Result>(_ body: () -> Result) -> Result {
        ThreadDeliveries.current.section(of: mailbox) { Run.within(run, body) }
    }
}
