import Testing

/// Checks `condition` again and again until it holds: for what nothing reports, like the system's tables.
func eventually(
    within limit: Duration = .seconds(20), _ what: Comment, _ condition: () throws -> Bool
) async rethrows {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record(what)
            return
        }
        await Task.yield()
    }
}
