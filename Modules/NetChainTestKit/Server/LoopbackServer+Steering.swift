import HttpMessages

/// Functions that wait for events or act on connections, so that no test has to sleep.
///
/// Every wait throws:
///
/// - ``LoopbackError`` with `timedOut` after the limit. Its message names the wait and what happened instead.
/// - ``LoopbackError`` with `stopped` once the server is stopped.
/// - `CancellationError` if its task is canceled.
extension LoopbackServer {
    /// Waits for the next held request for a path, which may be a pattern like a route's. Requests that are held
    /// already come first, the oldest first. Each is returned once.
    public func nextRequest(
        _ path: String = "*", method: HttpMethod = .any, within limit: Duration = .seconds(30)
    ) async throws -> LoopbackExchange {
        let exchange = try await core.wait(for: .exchange(method, RoutePattern(path)), within: limit)
        guard let exchange else { throw LoopbackError(.stopped, "the server was stopped") }
        return exchange
    }

    /// Waits until at least `count` complete requests have arrived for a path, which may be a pattern like a route's.
    public func waitForRequests(
        _ count: Int, _ path: String = "*", method: HttpMethod = .any, within limit: Duration = .seconds(30)
    ) async throws {
        _ = try await core.wait(for: .requests(count: count, method, RoutePattern(path)), within: limit)
    }

    /// Waits until at least `count` requests have ended with an incomplete body.
    package func waitForIncompleteRequests(_ count: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .incompleteRequests(count), within: limit)
    }

    /// Waits until exactly `count` connections are open.
    package func waitForConnections(open count: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .openConnections(count), within: limit)
    }

    /// Waits until at least `count` connections have been accepted since the start.
    package func waitForConnections(accepted count: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .acceptedConnections(count), within: limit)
    }

    /// Waits until at least `count` bytes have been received since the start, heads included.
    package func waitForReceivedBytes(_ count: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .receivedBytes(count), within: limit)
    }

    /// Sends unsolicited bytes after what is pending on that connection. Returns when the bytes are written to the
    /// socket.
    /// - Throws: ``LoopbackError`` with `connectionGone` if the connection is not open, and the errors of every wait.
    package func send(_ bytes: [UInt8], onConnection id: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .done("bytes to be sent on connection \(id)"), within: limit) { waiter in
            [.enqueue(connection: id, [.bytes(bytes), .notify(waiter: waiter)])]
        }
    }

    /// Closes all connections that wait for their next request, with FIN or RST. Returns when they are closed.
    public func closeIdleConnections(resetting: Bool = false, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .done("idle connections to be closed"), within: limit) { waiter in
            [.closeIdle(resetting: resetting, waiter: waiter)]
        }
    }

    /// Resumes reading on connections where ``LoopbackUploadRule/stopReading(afterBytes:)`` stopped it.
    package func resumeReading() {
        core.withState { core.post([.resumeReading], in: &$0) }
    }
}
