package import Testing

/// Returns the error that `body` throws; records an issue when it throws none, or one of another type.
///
/// What `#expect(throws:)` returns from Swift 6.1 on.
package func thrown<Failure: Error>(
    _ type: Failure.Type, sourceLocation: SourceLocation = #_sourceLocation, by body: () throws -> some Any
) -> Failure? {
    failure(of: Result { try body() as Any }, sourceLocation)
}

/// The same of an asynchronous `body`.
package func thrown<Failure: Error>(
    _ type: Failure.Type, sourceLocation: SourceLocation = #_sourceLocation, by body: () async throws -> some Any
) async -> Failure? {
    let result: Result<Any, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    return failure(of: result, sourceLocation)
}

private func failure<Failure: Error>(
    of result: Result<Any, any Error>, _ sourceLocation: SourceLocation
) -> Failure? {
    switch result {
    case .success(let value):
        Issue.record("\(Failure.self) was expected, and nothing was thrown: \(value)", sourceLocation: sourceLocation)
    case .failure(let error as Failure): return error
    case .failure(let error):
        Issue.record("\(Failure.self) was expected, and not \(error)", sourceLocation: sourceLocation)
    }
    return nil
}
