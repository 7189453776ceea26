package import Testing

/// Checks `condition` again and again until it holds: for what nothing reports, like the system's tables.
package func eventually(
    within limit: Duration = .seconds(30), _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) async rethrows {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
