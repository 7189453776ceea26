public import Dispatch

/// Runs the rest of the chain on one queue and delivers the answer on another: by default in the background and on the
/// main queue. The first or second node of a chain. (As in CoreNetKit.)
///
/// It's for callers with callbacks. `await` chooses its own executor, so `execute` goes past both queues. A cancel also
/// stops work that still waits in a queue.
open class ChainConfiguratorNode<Input: Sendable, Output: Sendable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    /// The rest of the chain.
    public let next: Node<Input, Output>
    private let work: ExecutionPlace
    private let answer: ExecutionPlace

    /// Makes the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - work: where the rest of the chain is called.
    ///   - answer: where listeners are called; `.inPlace` leaves the answer where it is.
    public init(
        next: Node<Input, Output>,
        work: ExecutionPlace = .dispatch(on: .global(qos: .userInitiated)),
        answer: ExecutionPlace = .dispatch(on: .main)
    ) {
        self.next = next
        self.work = work
        self.answer = answer
    }

    /// Makes the node with two queues, as in the older library.
    public convenience init(next: Node<Input, Output>, beginQueue: DispatchQueue, endQueue: DispatchQueue) {
        self.init(next: next, work: .dispatch(on: beginQueue), answer: .dispatch(on: endQueue))
    }

    open override func process(_ data: Input) -> Observer<Output> {
        work.queue == nil && answer.queue == nil ? next.process(data) : processOnQueues(data)
    }

    /// A function of its own: what its types need would be looked up for chains without queues too.
    @inline(never)
    private func processOnQueues(_ data: Input) -> Observer<Output> {
        let result = start(data)
        return answer.queue.map { result.dispatchOn($0) } ?? result
    }

    open override func processInPlace(_ data: Input) -> Observer<Output> {
        next.processInPlace(data)
    }

    private func start(_ data: Input) -> Observer<Output> {
        guard let queue = work.queue else { return next.process(data) }
        let context = Context<Output>()
        let journal = Journal.underWay
        queue.async { [next] in
            guard !context.isSettled else { return }
            context.follow(Journal.run(under: journal) { next.process(data) })
        }
        return context.observer
    }
}
