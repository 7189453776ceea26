public import HttpMessages
public import NodeCore

/// Fails a request that takes too long, all its attempts, delays and token refreshes together, and the stream of an
/// `HttpResponse` with it.
///
/// The error is `TechnicalError.timeout`, with `TransportError.Code.deadlinePassed`. It names the limit of a client that
/// the request was waiting for. A request in flight is canceled. With a deadline of zero or less, nothing is sent.
open class DeadlineNode<Output: Sendable>: AsyncNode<HttpRequest, Output>, @unchecked Sendable {  // immutable state
    package let next: Node<HttpRequest, Output>
    private let deadline: Duration
    private let clock: any ChainClock
    /// When the time began; nil for the moment at which a request reaches this node.
    private let start: ContinuousClock.Instant?

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
        start = nil
    }

    /// Creates a node whose time began at `start`, for all requests of a series.
    package init(
        next: Node<HttpRequest, Output>, deadline: Duration, since start: ContinuousClock.Instant?,
        clock: any ChainClock
    ) {
        self.next = next
        self.deadline = deadline
        self.clock = clock
        self.start = start
    }

    open override func execute(_ data: HttpRequest) async throws -> Output {
        let start = start ?? clock.now
        let timeLeft = { @Sendable [deadline, clock] in deadline - start.duration(to: clock.now) }
        let left = timeLeft()
        guard left > .zero else { throw TechnicalError.mapping(error(of: data, wasProcessed: .no)) }
        var data = data
        if data.wait == nil { data.wait = RequestWait() }
        let value = try await withThrowingTaskGroup(of: Output.self) { [data] group in
            defer { group.cancelAll() }
            group.addTask { [next] in
                try await Run.$current.withValue(.with(timeLeft: timeLeft)) { try await next.execute(data) }
            }
            group.addTask {
                try await self.clock.wait(for: left).value
                throw TechnicalError.mapping(self.error(of: data))
            }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
        if let buffer = (value as? HttpResponse)?.bytes?.buffer {
            limit(buffer, of: data, to: timeLeft())
        }
        return value
    }

    /// Makes the stream of a response's body fail if it takes longer than `time`.
    private func limit(_ buffer: ByteBuffer, of request: HttpRequest, to time: Duration) {
        let timer = clock.wait(for: time)
        buffer.onEnd { _ in timer.cancel() }
        timer.onCompleted { [self] in buffer.abort(error(of: request, wasProcessed: .yes)) }
    }

    private func error(
        of request: HttpRequest, wasProcessed: TransportError.Processing? = nil
    ) -> TransportError {
        var request = request
        request.attempt = max(request.attempt, request.wait?.attempt ?? 1)
        let wait = request.wait?.name.map { ", and was waiting for \($0)" } ?? ""
        let reason = "it took longer than \(deadline), the deadline for all its attempts\(wait)"
        return TransportError(.deadlinePassed, of: request, reason: reason, wasProcessed: wasProcessed)
    }
}
