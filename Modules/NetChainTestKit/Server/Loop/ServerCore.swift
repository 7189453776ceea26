import Dispatch
import NodeCore
import Synchronization

/// Connects the loop's thread, the handlers and the tests: one state in one mutex. The effects of a change (resuming
/// waiters, running handlers) follow after unlocking.
final class ServerCore: Sendable {
    private let state: Mutex<ServerState>
    private let wakePipe: WakePipe
    private let handlers = DispatchQueue(label: "LoopbackServer.handlers", attributes: .concurrent)

    init(wakePipe: WakePipe, recordLimit: Int) {
        self.wakePipe = wakePipe
        state = Mutex(ServerState(recordLimit: recordLimit))
    }

    /// Changes or reads the state, then resumes the waiters whose wish it fulfilled. The result is released after
    /// unlocking.
    @discardableResult
    func withState<Value: Sendable>(_ body: (inout ServerState) -> Value) -> Value {
        let (value, settled) = state.taking { state in
            let value = body(&state)
            return (value, state.takeSettledWaiters())
        }
        for (waiter, result) in settled where !waiter.context.settle(result) {
            // The wait was canceled: the next one gets the exchange.
            if case .success(let exchange?) = result { withState { $0.hold(exchange) } }
        }
        return value
    }

    // MARK: Commands

    /// Posts commands to the loop's thread. Called inside ``withState(_:)``, so that they keep the order of the
    /// changes.
    func post(_ commands: [LoopCommand], in state: inout ServerState) {
        guard !state.isStopped else { return }
        state.commands += commands
        if !state.isWakeSent {
            state.isWakeSent = true
            wakePipe.wake()
        }
    }

    /// The commands since the last call. Only the loop's thread takes them.
    func takeCommands() -> [LoopCommand] {
        state.taking { state in
            state.isWakeSent = false
            let commands = state.commands
            state.commands = []
            return commands
        }
    }

    /// Posts the stop command. True for the first call, which must join the thread.
    func stop() -> Bool {
        let (isFirst, _, _) = withState { state -> (Bool, [Route], [LoopbackExchange]) in
            guard !state.isStopped else { return (false, [], []) }
            post([.stop], in: &state)
            state.isStopped = true
            // Handlers and exchanges may reference the server (a retain cycle). They are returned so that they are
            // released after unlocking.
            let held = (state.routes, state.unclaimed)
            state.routes = []
            state.unclaimed = []
            for id in Array(state.waiters.keys) {
                guard case .done? = state.waiters[id]?.wish else { continue }
                settle(waiter: id, with: .failure(Self.stopped), in: &state)
            }
            return (true, held.0, held.1)
        }
        return isFirst
    }

    private static let stopped = LoopbackError(.stopped, "the server was stopped")

    // MARK: Waiting

    /// Suspends the caller until the wish is fulfilled.
    /// - Parameter commands: the commands to the loop for it, given the waiter's number.
    func wait(
        for wish: Wish, within limit: Duration, commands: @Sendable (Int) -> [LoopCommand] = { _ in [] }
    ) async throws -> LoopbackExchange? {
        let context = Context<LoopbackExchange?>()
        withState { state in
            let id = state.newID()
            state.waiters[id] = Waiter(wish: wish, context: context)
            post([.deadline(waiter: id, .now + limit)] + commands(id), in: &state)
            if state.isStopped, case .done = wish { settle(waiter: id, with: .failure(Self.stopped), in: &state) }
        }
        return try await context.observer.value
    }

    /// Settles a wait. Its result is delivered after unlocking.
    func settle(waiter: Int, with result: Waiter.Result, in state: inout ServerState) {
        guard let waiter = state.waiters.removeValue(forKey: waiter) else { return }
        state.settled.append((waiter, result))
    }

    func expire(waiter: Int) {
        withState { state in
            guard let wish = state.waiters[waiter]?.wish else { return }
            let error = LoopbackError(.timedOut, "timed out waiting for \(wish): \(state.summary)")
            settle(waiter: waiter, with: .failure(error), in: &state)
        }
    }

    // MARK: Responding

    /// Records a complete request and calls its handler.
    /// - Returns: the exchange's number, and the pieces of the response if it is known already.
    func receive(_ request: LoopbackRequest, _ traffic: Traffic) -> (exchange: Int, pieces: [WirePiece]) {
        let (request, exchange, responder, missingRoute) = withState { state in
            state.note(traffic)
            return state.record(request)
        }
        if let missingRoute { HandlerFailure.report(missingRoute) }
        switch responder {
        case .fixed(let response):
            return (exchange, pieces(of: response, to: request, exchange: exchange))
        case .inOrder:
            break
        case .handler(let handler):
            handlers.async {
                self.answer(exchange, to: request, with: Result { try handler(request) })
            }
        case .asyncHandler(let handler):
            Task {
                do {
                    self.answer(exchange, to: request, with: .success(try await handler(request)))
                } catch {
                    self.answer(exchange, to: request, with: .failure(error))
                }
            }
        case .exchangeHandler(let handler):
            let handle = LoopbackExchange(id: exchange, request: request, core: self)
            handlers.async { handler(handle) }
        }
        return (exchange, [])
    }

    /// The pieces of a response. A held response has none; its exchange is kept for the next waiter.
    private func pieces(of response: LoopbackResponse, to request: LoopbackRequest, exchange: Int) -> [WirePiece] {
        if case .held = response.behavior {
            let handle = LoopbackExchange(id: exchange, request: request, core: self)
            withState { $0.hold(handle) }
            return []
        }
        return ResponseWriter.pieces(for: response, to: request, exchange: exchange)
    }

    private func answer(
        _ exchange: Int, to request: LoopbackRequest, with result: Result<LoopbackResponse, any Error>
    ) {
        let response: LoopbackResponse
        switch result {
        case .success(let answer): response = answer
        case .failure(let error):
            let text = HandlerFailure.text(of: request, "threw: \(error)")
            HandlerFailure.report(text)
            response = .text(text, status: 500)
        }
        let pieces = pieces(of: response, to: request, exchange: exchange)
        guard !pieces.isEmpty else { return }
        withState { state in
            post([.enqueue(connection: request.connectionID, pieces)], in: &state)
        }
    }

    // MARK: Reports from the loop's thread

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
