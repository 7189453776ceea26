public import NodeCore

/// Sends a request again with a new token when its answer says that the old one is no good. (As in CoreNetKit.)
///
/// A request that fails with an access failure freezes, one refresh runs, and after it the request is sent once again;
/// refused again, its error passes up. While a refresh runs, requests freeze before they are sent. The node must stand
/// **before** the node that adds the token, and all such nodes share one ``TokenRefresherNode``:
///
/// ```swift
/// let accessSafe = AccessSafeNode(next: metadataConnector, updateTokenChain: refresher)
/// ```
///
/// The input is kept until the request ends, and is sent unchanged both times. Cancelling a frozen request takes out
/// that one only. A frozen request goes on on the thread on which the refresh ended.
///
/// A request belongs to the session in which it comes to this node. When that ends before the request is sent, again or
/// for the first time, the request fails with ``AccessSafeError/Code/signedOut``: `RequestSenderNode` sees to it,
/// whatever added the token.
open class AccessSafeNode<Input: Sendable, Output: Sendable>: Node<Input, Output>, @unchecked Sendable {  // let only
    /// The rest of the chain.
    public let next: Node<Input, Output>
    /// What refreshes the token and keeps the frozen requests.
    public let updateTokenChain: TokenRefresherNode
    private let isAccessFailure: @Sendable (any Error) -> Bool

    /// Makes the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain, in which the token is added.
    ///   - updateTokenChain: the refresher, one for all chains that use the same token.
    ///   - isAccessFailure: whether an error means that a new token may help; without it, an error that says so itself
    ///     by `AccessFailure`. Called on the thread on which the request failed.
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
        Request(node: self, data: data, isInPlace: false, session: updateTokenChain.session).send()
    }

    open override func processInPlace(_ data: Input) -> Observer<Output> {
        Request(node: self, data: data, isInPlace: true, session: updateTokenChain.session).send()
    }

    /// One request on its way through the gate.
    private struct Request: Sendable {
        let node: AccessSafeNode
        let data: Input
        let isInPlace: Bool
        let session: Session

        /// Sends it as soon as the gate lets it; `isReplay` when it has been sent before.
        func send(isReplay: Bool = false) -> Observer<Output> {
            let passage = node.updateTokenChain.admit(in: session) {
                AccessSafeEvent.note(node.name, .frozenBeforeSending)
            }
            switch passage {
            case .open(let ticket): return isReplay ? replay() : send(with: ticket)
            case .closed(let error): return .emit(error: error)
            case .frozen(let refreshed):
                return refreshed.flatMap { report in
                    AccessSafeEvent.note(
                        node.name, isReplay ? .sentAgain : .sent, duration: report.duration, error: report.error)
                    return send(isReplay: isReplay)
                }
            }
        }

        private func send(with ticket: Ticket) -> Observer<Output> {
            answer().mapError { error -> Observer<Output> in
                node.isAccessFailure(error) ? recover(from: error, ticket) : .emit(error: error)
            }
        }

        /// The answer as it comes. Until then the request keeps the gate, which its pass asks before it goes out.
        private func replay() -> Observer<Output> {
            answer().defer { withExtendedLifetime(node) {} }
        }

        private func recover(from error: any Error, _ ticket: Ticket) -> Observer<Output> {
            let passage = node.updateTokenChain.recover(from: ticket, error) {
                AccessSafeEvent.note(node.name, .frozenAfterRefusal, error: error)
            }
            switch passage {
            case .open:
                AccessSafeEvent.note(node.name, .sentAgain)
                return send(isReplay: true)
            case .closed(let reason): return .emit(error: reason)
            case .frozen(let refreshed):
                return refreshed.flatMap { report in
                    AccessSafeEvent.note(node.name, .sentAgain, duration: report.duration)
                    return send(isReplay: true)
                }
            }
        }

        private func answer() -> Observer<Output> {
            Journal.run(with: AccessPass(node.updateTokenChain, session, node.name)) {
                isInPlace ? node.next.processInPlace(data) : node.next.process(data)
            }
        }
    }
}
