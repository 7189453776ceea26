extension AnyPending {
    /// Waits until the work has ended.
    ///
    /// Where a sender leaves its answer to the task that waits for what follows, it is that task which settles the sender's
    /// work, so that the nodes up to here run in it, and not on the thread that brings all answers.
    @usableFromInline
    final func waitForEnd() async {
        // Such a task goes on where its executor says, and that may be the thread that brings answers.
        let hasExecutor = withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
        while !isSettled {
            var waiting: WaitingTask?
            await withUnsafeContinuation { continuation in
                let task = WaitingTask(continuation, takesWork: !hasExecutor)
                waiting = task
                offer(task)
                add { _ in task.wake() }
            }
            waiting?.doWhatWasLeft()
        }
    }

    /// Tells this work, and what it follows from, that `task` waits for it, and may settle it where that is left to a task.
    final func offer(_ task: WaitingTask) {
        var work: AnyPending? = self
        while let one = work { work = one.note(task) as? AnyPending }
    }
}
