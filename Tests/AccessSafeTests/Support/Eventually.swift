import Testing

/// Looks again and again until `condition` holds: for what nobody announces.
///
/// - Throws: when it doesn't in time, with what was waited for.
func eventually(
    within limit: Duration = .seconds(30), _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while !condition() {
        try #require(.now < deadline, what, sourceLocation: sourceLocation)
        await Task.yield()
    }
}
