extension AnyPending {
    /// Waits until the work has ended. A cancel of the task cancels it.
    ///
    /// Where a sender leaves its answer to the task that waits for what follows, it is that task which settles the sender's
    /// work, so that the nodes up to here run in it, and not on the thread that brings all answers.
    final func waitForEnd() async {
        await withTaskCancellationHandler {
            // Such a task goes on where its executor says, and that may be the thread that brings answers.
            let hasExecutor = withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
            while !isSettled {
                let root = hasExecutor ? nil : root
                await withUnsafeContinuation { continuation in
                    let task = WaitingTask(continuation)
                    root?.offer(task)
                    add { _ in task.wake() }
                }
                if let settle = root?.takeLeft() { WaitingTask.$isAtWork.withValue(true, operation: settle) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// The first of the works that this one follows from; nil when it follows from none.
    private final var root: AnyPending? {
        var work: AnyPending?
        while let upstream = (work ?? self).upstream as? AnyPending { work = upstream }
        return work
    }
}
