public import NodeCore
public import UrlTransport

/// Fails a request that takes too long, all its attempts, delays and token refreshes together.
///
/// The error is `TechnicalError.timeout`, with `TransportError.Code.deadlinePassed`. A request in flight is canceled. With
/// a deadline of zero or less, nothing is sent.
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
        guard deadline > .zero else { return .emit(error: error(of: data)) }
        let timer = clock.wait(for: deadline)
        let work = next.process(data)
        guard work.outcome == nil else {
            timer.cancel()
            return work
        }
        let result = Context<Output>()
        result.onCancel {
            work.cancel()
            timer.cancel()
        }
        work.onSettled { outcome in
            timer.cancel()
            result.settle(outcome)
        }
        timer.onCompleted { [self] in
            if result.emit(error: error(of: data)) { work.cancel() }
        }
        return result.observer
    }

    private func error(of request: HttpRequest) -> any Error {
        let reason = "it took longer than \(deadline), the deadline for all its attempts"
        return TechnicalError.mapping(TransportError(.deadlinePassed, of: request, reason: reason))
    }
}
