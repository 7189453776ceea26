extension Observer {
    /// The state of the same work, which delivers in the task of the current run.
    var inTask: State {
        guard case .pending(let pending) = state else { return state }
        if let outcome = pending.outcome { return .settled(outcome) }
        // An observer of shared work may deliver on a queue.
        return .pending(pending.queue == nil ? pending.here : pending.copied())
    }

    /// The run that this observer belongs to.
    var run: Run? {
        if case .pending(let pending) = state { pending.run } else { Run.current }
    }
}
