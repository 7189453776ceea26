/// Waiting for what happens, and making it happen, so that no test has to sleep.
///
/// Every wait throws a ``LoopbackError`` with `timedOut` that says what was waited for and what happened instead,
/// with `stopped` once the server is stopped, and a `CancellationError` when its task is canceled.
extension LoopbackServer {
    /// The next held request for a path, which may be a pattern like a route's: one that is there already, the
    /// oldest first, or the next that comes. Each is given out once.
    public func nextRequest(
        _ path: String = "*", method: LoopbackMethod = .any, within limit: Duration = .seconds(30)
    ) async throws -> LoopbackExchange {
        let exchange = try await core.wait(for: .exchange(method, RoutePattern(path)), within: limit)
        guard let exchange else { throw LoopbackError(.stopped, "the server was stopped") }
        return exchange
    }

    /// Waits until at least `count` complete requests have come for a path, which may be a pattern like a route's.
    public func waitForRequests(
        _ count: Int, _ path: String = "*", method: LoopbackMethod = .any, within limit: Duration = .seconds(30)
    ) async throws {
        _ = try await core.wait(for: .requests(count: count, method, RoutePattern(path)), within: limit)
    }

    /// Waits until at least `count` requests have ended before their body was whole.
    public func waitForIncompleteRequests(_ count: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .incompleteRequests(count), within: limit)
    }

    /// Waits until exactly `count` connections are open.
    public func waitForConnections(open count: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .openConnections(count), within: limit)
    }

    /// Waits until at least `count` connections have been accepted since the start.
    public func waitForConnections(accepted count: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .acceptedConnections(count), within: limit)
    }

    /// Waits until at least `count` bytes have been received since the start, heads included.
    public func waitForReceivedBytes(_ count: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .receivedBytes(count), within: limit)
    }

    /// Waits until the connection has ended.
    public func waitForEnd(ofConnection id: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .connectionEnd(id), within: limit)
    }

    /// Sends unsolicited bytes, after what is being sent on that connection; returns once the system has
    /// them.
    /// - Throws: ``LoopbackError`` with `connectionGone` where the connection is not open, and as every wait.
    public func send(_ bytes: [UInt8], onConnection id: Int, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .done("bytes to be sent on connection \(id)"), within: limit) { waiter in
            [.enqueue(connection: id, [.bytes(bytes), .notify(waiter: waiter)])]
        }
    }

    /// Closes all connections that wait for their next request, by FIN or RST; returns once that is done.
    public func closeIdleConnections(resetting: Bool = false, within limit: Duration = .seconds(30)) async throws {
        _ = try await core.wait(for: .done("idle connections to be closed"), within: limit) { waiter in
            [.closeIdle(resetting: resetting, waiter: waiter)]
        }
    }

    /// Reads on wherever a rule, ``LoopbackUploadRule/stopReading(afterBytes:)``, has stopped it.
    public func resumeReading() {
        core.withState { core.post([.resumeReading], in: &$0) }
    }
}
