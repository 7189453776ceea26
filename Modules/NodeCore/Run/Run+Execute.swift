extension Run {
    /// Executes `work` in the current task and returns how it ended.
    ///
    /// The observers that `work` makes, and those that follow from them, deliver in this task, one after the other. The
    /// task is parked while there is nothing to deliver. Canceling it cancels the work; a task that is canceled already
    /// starts none.
    @usableFromInline
    package static func execute<Value: Sendable>(_ work: @Sendable () -> Observer<Value>) async -> Outcome<Value> {
        if Task.isCancelled { return .canceled }
        let run = Run.inCurrentTask()
        switch run.section(work).source.state {
        case .settled(let outcome):
            run.end()
            return outcome
        case .pending(let pending):
            if !pending.isSettled { await run.wait(for: pending) }
            run.end()
            // Read here and not handed over, so that the value is released on this thread, which may have made it.
            return pending.ended ?? .failed(ObserverError.abandoned(Value.self))
        }
    }

    /// Delivers until `work` has ended.
    private func wait(for work: AnyPending) async {
        guard let mailbox else { return }
        if work.run?.mailbox !== mailbox { work.add { _ in mailbox.wake() } }
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
        guard let mailbox else { return }
        section { mailbox.deliverAll(isLast: true) }
    }
}
