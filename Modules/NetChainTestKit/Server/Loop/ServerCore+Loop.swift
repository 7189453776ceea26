/// Reports from the loop's thread.
extension ServerCore {
    /// Counts a new connection.
    /// - Returns: its number, and the pieces to process before its first request.
    func connectionAccepted() -> (id: Int, pieces: [WirePiece]) {
        withState { state in
            state.counts.connectionsAccepted += 1
            state.counts.connectionsOpen += 1
            state.counts.connectionsOpenAtMost = max(state.counts.connectionsOpenAtMost, state.counts.connectionsOpen)
            let id = state.counts.connectionsAccepted
            state.openConnections.insert(id)
            let rule = state.connectRules.isEmpty ? nil : state.connectRules.removeFirst()
            return (id, rule?.pieces ?? [])
        }
    }

    func connectionClosed(
        _ id: Int, exchange: Int?, incomplete: LoopbackRequest?, waiters: [Int], _ traffic: Traffic
    ) {
        // The exchange is released after unlocking.
        _ = withState { state -> LoopbackExchange? in
            state.note(traffic)
            state.counts.connectionsOpen -= 1
            state.openConnections.remove(id)
            if let incomplete { state.incompleteRequests.append(incomplete) }
            for waiter in waiters { settle(waiter: waiter, with: .failure(Self.connectionGone), in: &state) }
            return exchange.flatMap { state.end(exchange: $0) }
        }
    }

    func finish(waiter: Int, with result: Result<LoopbackExchange?, any Error>) {
        withState { settle(waiter: waiter, with: result, in: &$0) }
    }

    func connectionIsGone(waiter: Int) {
        finish(waiter: waiter, with: .failure(Self.connectionGone))
    }

    private static let connectionGone = LoopbackError(.connectionGone, "the connection is not open any more")
}
