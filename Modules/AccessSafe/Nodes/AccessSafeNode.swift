public import NodeCore

/// Sends a request again with a new token when its response says that the old one is invalid.
///
/// - A request that fails with an access failure freezes, one refresh runs, and after it the request is sent once
///   again. If it is rejected again, its error passes up.
/// - A request that was rejected with an older token than the current one is sent again at once. A refresh follows only
///   if the current token is rejected too.
/// - A forbidden request (`AccessFailure.isForbidden`) whose token arrived within ``RefreshLimits/window`` passes its
///   error up.
/// - A rejection by a server that did not receive the token, after a redirect to another origin, passes up.
/// - While a refresh runs, requests freeze before they are sent.
///
/// The node must come **before** the node that adds the token, and all such nodes share one ``TokenRefresherNode``:
///
/// ```swift
/// // `requestCreator` asks its metadata providers, such as a `TokenStore`, for each sending.
/// let accessSafe = AccessSafeNode(next: requestCreator, updateTokenChain: refresher)
/// ```
///
/// The input is kept until the request ends, and is sent unchanged each time. Canceling a frozen request removes only
/// that one.
///
/// A request belongs to the session in which it was made: in which the outermost chain was executed, or processed if it
/// begins with a `ChainConfiguratorNode`. Otherwise it is made when it reaches this node. A chain that a node calls is a
/// part of that node's request. When the session ends before the request is sent, again or for the first time, the
/// request fails with ``AccessSafeError/Code/signedOut``. `RequestSenderNode` and the libcurl sender enforce this,
/// whatever node added the token and on whatever thread: a request value keeps its admission.
open class AccessSafeNode<Input: Sendable, Output: Sendable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    /// The rest of the chain.
    package let next: Node<Input, Output>
    /// Refreshes the token and keeps the frozen requests.
    package let updateTokenChain: TokenRefresherNode
    private let isAccessFailure: @Sendable (any Error) -> Bool

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain, in which the token is added.
    ///   - updateTokenChain: the refresher, one for all chains that use the same token.
    ///   - isAccessFailure: whether an error means that a new token may help; by default an error decides by
    ///     `AccessFailure`. Called on the thread on which the request failed.
    public init(
        next: Node<Input, Output>,
        updateTokenChain: TokenRefresherNode,
        isAccessFailure: @escaping @Sendable (any Error) -> Bool = {
            ($0 as? any AccessFailure)?.isAccessFailure ?? false
        }
    ) {
        self.next = next
        self.updateTokenChain = updateTokenChain
        self.isAccessFailure = isAccessFailure
    }

    open override func process(_ data: Input) -> Observer<Output> {
        // The pass is for the nodes downstream: what follows the response belongs to the run outside.
        Run.within(Run.currentOrEmpty) {
            guard let session = session(of: data) else { return .emit(error: updateTokenChain.sessionEnded) }
            return Request(node: self, data: data, session: session).send()
        }
    }

    /// The session to which a request belongs; nil if it has ended. A request value keeps the time for nodes that
    /// continue outside of the run, and for those that send several requests in one run.
    private func session(of data: Input) -> Session? {
        let time = Run.current?.madeAt ?? .now
        return updateTokenChain.session(at: min((data as? any AdmissionCarrying)?.madeAt ?? time, time))
    }

    /// One request on its way through the gate.
    private struct Request: Sendable {
        let node: AccessSafeNode
        let data: Input
        let session: Session

        /// Sends it as soon as the gate admits it.
        ///
        /// - Parameters:
        ///   - rejection: the error with which it was rejected, where it was sent before.
        ///   - replays: how often it may be sent once more: after a rejection with an older token than the current
        ///     one, and after a refresh.
        ///   - isDue: false after a successful refresh, which is not followed by another one.
        func send(after rejection: (any Error)? = nil, replays: Int = 2, isDue: Bool = true) -> Observer<Output> {
            let passage = node.updateTokenChain.admit(in: session, isDue: isDue, after: rejection) {
                AccessEvent.frozenBeforeSending.write(by: node.name)
            }
            switch passage {
            case .open(let ticket): return answer(with: ticket, replays: replays)
            case .closed(let error): return .emit(error: error)
            case .frozen(let refreshed):
                return refreshed.flatMap { report in
                    let event =
                        rejection == nil
                        ? AccessEvent.sent(after: report.duration, error: report.error)
                        : .sentAgain(after: report.duration)
                    event.write(by: node.name)
                    return send(after: rejection, replays: replays, isDue: report.error != nil)
                }
            }
        }

        private func answer(with ticket: Ticket, replays: Int) -> Observer<Output> {
            let pass = AccessPass(node.updateTokenChain, session, ticket, node.name)
            var data = data
            if var request = data as? any AdmissionCarrying {
                request.admissions = request.admissions.with(pass)
                if let request = request as? Input { data = request }
            }
            let answer = Run.within(Run.with(pass)) { [data] in node.next.process(data) }
            // Until the response arrives the closure keeps the gate, which the pass checks before the request is sent.
            return answer.recover { error in
                guard replays > 0, !pass.hasRejected, pass.isOfReceiver, node.isAccessFailure(error) else {
                    return .emit(error: error)
                }
                return recover(from: error, pass.ticket, replays: replays)
            }
        }

        private func recover(from error: any Error, _ ticket: Ticket, replays: Int) -> Observer<Output> {
            let passage = node.updateTokenChain.recover(from: ticket, error) {
                AccessEvent.frozenAfterRejection(error).write(by: node.name)
            }
            switch passage {
            case .open:
                AccessEvent.sentAgain(after: nil).write(by: node.name)
                return send(after: error, replays: replays - 1)
            case .closed(let reason): return .emit(error: reason)
            case .frozen(let refreshed):
                return refreshed.flatMap { report in
                    AccessEvent.sentAgain(after: report.duration).write(by: node.name)
                    return send(after: error, replays: 0, isDue: false)
                }
            }
        }
    }
}
