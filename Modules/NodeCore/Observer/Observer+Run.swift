extension Observer {
    /// The state of the same work as the current run sees it.
    var here: State {
        if case .pending(let pending) = state { .pending(pending.here) } else { state }
    }

    /// The run that this observer belongs to.
    var run: Run? {
        if case .pending(let pending) = state { pending.run } else { Run.current }
    }
}
