extension Observer {
    /// The run that this observer belongs to.
    var run: Run? {
        if case .pending(let pending) = state { pending.run } else { Run.current }
    }
}
