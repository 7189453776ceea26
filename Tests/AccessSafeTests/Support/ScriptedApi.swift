import NodeCore
import Synchronization

/// What a server answers when it doesn't like a token.
struct Refusal: AccessFailure, Hashable {
    let status: Int
    var isAccessFailure: Bool { status == 401 || status == 403 }
    var isForbidden: Bool { status == 403 }
}

/// Any other error.
struct Failure: Error, Hashable {
    let text: String
}

/// A server of which the test holds every open request: nothing is answered unless the test says so.
final class ScriptedApi: Sendable {
    /// A request that reached the server.
    struct Call: Sendable {
        let request: Int
        /// The token that it was sent with.
        let token: Int
        let context: Context<String>

        func succeed() { context.emit(data: "\(request) with \(token)") }
        func refuse(_ status: Int = 401) { context.emit(error: Refusal(status: status)) }
    }

    private struct State {
        var token = 1
        var calls: [Call] = []
        var refreshes: [Context<Void>] = []
    }

    private let state = Mutex(State())
    private let firstCall = Context<Void>()

    /// The token that requests are sent with.
    var token: Int {
        get { state.withLock { $0.token } }
        set { state.withLock { $0.token = newValue } }
    }

    /// Every request that reached the server, in order.
    var calls: [Call] { state.withLock { $0.calls } }

    /// Every refresh that reached the server, in order.
    var refreshes: [Context<Void>] { state.withLock { $0.refreshes } }

    /// The rest of the chain behind an `AccessSafeNode`: adds the token and sends.
    var node: Node<Int, String> {
        ClosureNode(name: "Api") { [self] request in
            let context = Context<String>()
            state.withLock { $0.calls.append(Call(request: request, token: $0.token, context: context)) }
            firstCall.emit()
            return context.observer
        }
    }

    /// Returns once a request has reached the server.
    func waitForCall() async throws {
        try await firstCall.observer.value
    }

    /// The refresh chain.
    var refreshNode: Node<Void, Void> {
        ClosureNode(name: "Refresh") { [self] in
            let context = Context<Void>()
            state.withLock { $0.refreshes.append(context) }
            return context.observer
        }
    }

    /// Ends what the test has left open: a chain whose end never comes keeps itself alive.
    func hangUp() {
        let (calls, refreshes) = state.withLock { state in
            defer { (state.calls, state.refreshes) = ([], []) }
            return (state.calls, state.refreshes)
        }
        for call in calls { call.context.cancel() }
        for refresh in refreshes { refresh.cancel() }
    }

    /// The newest refresh succeeds with a new token.
    func finishRefresh() {
        let context = state.withLock { state in
            state.token += 1
            return state.refreshes.last
        }
        context?.emit()
    }
}
