public import Dispatch

/// Says where a chain runs for callers with callbacks: by default in a task, with listeners on the main queue. The
/// first or second node of a chain.
///
/// `execute` runs the chain in the caller's task, and a chain that a node calls runs where that node does: then this
/// node has no effect. A cancel also stops work that is queued.
open class ChainConfiguratorNode<Input: Sendable, Output: Sendable>: AsyncNode<Input, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<Input, Output>

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - work: where the nodes run: in a task, or in a task on a queue. `.inPlace` is a task, too.
    ///   - answer: where listeners are called; `.inPlace` and `.concurrent` call them where the nodes ran.
    public init(
        next: Node<Input, Output>, work: ExecutionPlace = .concurrent, answer: ExecutionPlace = .dispatch(on: .main)
    ) {
        self.next = next
        super.init()
        places = ExecutionPlaces(executor: work.queue.map { QueueExecutor(queue: $0) }, callbacks: answer.queue)
    }

    /// Creates the node with two queues.
    public convenience init(next: Node<Input, Output>, beginQueue: DispatchQueue, endQueue: DispatchQueue) {
        self.init(next: next, work: .dispatch(on: beginQueue), answer: .dispatch(on: endQueue))
    }

    open override func execute(_ data: Input) async throws -> Output {
        guard Run.current?.madeAt == nil else { return try await next.execute(data) }
        return try await Run.$current.withValue(.ofRequestMadeNow()) { try await next.execute(data) }
    }
}
