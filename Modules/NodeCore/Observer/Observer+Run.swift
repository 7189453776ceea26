extension Observer {
    /// The state of the same work, which delivers in the task of the current run.
    var inTask: State {
        guard case .pending(let pending) = state else { return state }
        if let outcome = pending.outcome { return .settled(outcome) }
        // An observer of shared work may deliver on a queue.
        return .pending(pending.queue == nil ? pending.here : pending.copied())
    }

    /// The same work for listeners that belong to `run`.
    func delivering(in run: Run) -> Observer {
        guard case .pending(let pending) = state else { return self }
        if let outcome = pending.outcome { return Observer(outcome) }
        return Run.within(run) { Observer(pending: pending.copied()) }
    }

    /// The run that this observer belongs to.
    var run: Run? {
        if case .pending(let pending) = state { pending.run } else { Run.current }
    }
}
