public import NodeCore
public import UrlTransport

/// Fails a request that takes too long, all its attempts, delays and token refreshes together.
///
/// The error is `TechnicalError.timeout`, with `TransportError.Code.deadlinePassed`. A request in flight is canceled.
open class DeadlineNode<Output: Sendable>: Node<HttpRequest, Output>, @unchecked Sendable {  // immutable state
    /// The rest of the chain.
    package let next: Node<HttpRequest, Output>
    private let deadline: Duration
    private let clock: any ChainClock

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - deadline: how long a request may take from the moment at which it reaches this node.
    ///   - clock: the source of time.
    public init(next: Node<HttpRequest, Output>, deadline: Duration, clock: any ChainClock = .system) {
        self.next = next
        self.deadline = deadline
        self.clock = clock
    }

    open override func process(_ data: HttpRequest) -> Observer<Output> {
        let work = next.process(data)
        guard work.outcome == nil else { return work }
        let result = Context<Output>()
        let timer = clock.wait(for: deadline)
        result.onCancel {
            work.cancel()
            timer.cancel()
        }
        work.onSettled { outcome in
            timer.cancel()
            result.settle(outcome)
        }
        timer.onCompleted { [deadline] in
            let reason = "it took longer than \(deadline), the deadline for all its attempts"
            let error = TransportError(.deadlinePassed, of: data, reason: reason)
            if result.emit(error: TechnicalError.mapping(error)) { work.cancel() }
        }
        return result.observer
    }
}
