public import NodeCore
public import UrlTransport

/// Fails a request that takes too long, all its attempts, delays and token refreshes together, and the stream of an
/// `HttpResponse` with it.
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
        guard deadline > .zero else { return .emit(error: TechnicalError.mapping(error(of: data))) }
        let timer = clock.wait(for: deadline)
        let work = next.process(data)
        if let outcome = work.outcome {
            end(timer, after: outcome, of: data)
            return work
        }
        let result = Context<Output>()
        result.onCancel {
            work.cancel()
            timer.cancel()
        }
        work.onSettled { [self] outcome in
            end(timer, after: outcome, of: data)
            result.settle(outcome)
        }
        timer.onCompleted { [self] in
            if result.emit(error: TechnicalError.mapping(error(of: data))) { work.cancel() }
        }
        return result.observer
    }

    /// Ends the timer, after the stream of a response's body, which fails if it takes longer.
    private func end(_ timer: Observer<Void>, after outcome: Outcome<Output>, of request: HttpRequest) {
        guard case .completed(let value) = outcome, let buffer = (value as? HttpResponse)?.bytes?.buffer else {
            return timer.cancel()
        }
        buffer.onEnd { _ in timer.cancel() }
        timer.onCompleted { [self] in buffer.abort(error(of: request, wasProcessed: .yes)) }
    }

    private func error(
        of request: HttpRequest, wasProcessed: TransportError.Processing? = nil
    ) -> TransportError {
        let reason = "it took longer than \(deadline), the deadline for all its attempts"
        return TransportError(.deadlinePassed, of: request, reason: reason, wasProcessed: wasProcessed)
    }
}
