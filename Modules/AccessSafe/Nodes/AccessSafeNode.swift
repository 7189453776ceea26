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
/// - While a refresh runs, requests freeze before they are sent. A request that only a cache responds to doesn't.
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
/// A request belongs to the session in which it was made: in which `process` of the outermost chain was called, or
/// `execute` of its `ChainConfiguratorNode`. Without one, `execute` makes it when it reaches this node. A chain that a
/// node calls is a part of that node's request. When the session ends before the request is sent, again or for the first
/// time, the request fails with ``AccessSafeError/Code/signedOut``. `RequestSenderNode` and the libcurl sender enforce this,
/// whatever node added the token and on whatever thread: a request value keeps its admission.
open class AccessSafeNode<Input: Sendable, Output: Sendable>: AsyncNode<Input, Output>,
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

    open override func execute(_ data: Input) async throws -> Output {
        let admission = try AccessAdmission(updateTokenChain, madeAt: madeAt(data), name: name)
        if (data as? any AdmissionCarrying)?.isForCacheOnly != true { _ = try await updateTokenChain.admit(admission) }
        // The admission is for the nodes downstream: what follows the response belongs to the run outside.
        let (run, data) = (Run.with(admission), Self.data(data, with: admission))
        // How often the request may be sent once more: after a rejection with an older token than the current one, and
        // after a refresh.
        var replays = 2
        while true {
            do {
                return try await Run.$current.withValue(run) { try await next.execute(data) }
            } catch {
                guard replays > 0, !admission.hasRejected, admission.isOfReceiver, isAccessFailure(error) else {
                    throw error
                }
                let isRefreshed = try await updateTokenChain.recover(admission, from: error)
                replays = isRefreshed ? 0 : replays - 1
            }
        }
    }

    /// When the request was made. A request value keeps the time for nodes that continue outside of the run, and for
    /// those that send several requests in one run.
    private func madeAt(_ data: Input) -> LogicalTime {
        let time = Run.current?.madeAt ?? .now
        return min((data as? any AdmissionCarrying)?.madeAt ?? time, time)
    }

    /// The input with the admission, where its type keeps admissions.
    private static func data(_ data: Input, with admission: AccessAdmission) -> Input {
        guard var request = data as? any AdmissionCarrying else { return data }
        request.admissions = request.admissions.with(admission)
        return request as? Input ?? data
    }
}
