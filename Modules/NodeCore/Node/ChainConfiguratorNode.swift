public import Dispatch

/// Sets where a run of the chain executes: by default a task for the nodes, and the main queue for the callbacks. The
/// first or second node of a chain.
///
/// It serves callers with callbacks. `execute` runs the chain in the caller's task; a chain that a node of another
/// chain calls runs where that chain does. In both cases this node has no effect. A cancel also stops work that is
/// queued.
open class ChainConfiguratorNode<Input: Sendable, Output: Sendable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    /// The rest of the chain.
    package let next: Node<Input, Output>
    private let work: ExecutionPlace
    private let answer: ExecutionPlace

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - work: where the nodes run. In a task, or on a queue, the run has the caller's task-local values and
    ///     priority. `.inPlace` runs the nodes on the calling thread and then on the sender's, without a task:
    ///     task-local values end at the first response.
    ///   - answer: where listeners are called; `.inPlace` and `.concurrent` call them where the nodes ran.
    public init(
        next: Node<Input, Output>, work: ExecutionPlace = .concurrent, answer: ExecutionPlace = .dispatch(on: .main)
    ) {
        self.next = next
        self.work = work
        self.answer = answer
    }

    /// Creates the node with two queues.
    public convenience init(next: Node<Input, Output>, beginQueue: DispatchQueue, endQueue: DispatchQueue) {
        self.init(next: next, work: .dispatch(on: beginQueue), answer: .dispatch(on: endQueue))
    }

    open override func process(_ data: Input) -> Observer<Output> {
        if Run.isExecutedHere { return processHere(data) }
        switch work.place {
        case .inPlace: return answered(processHere(data))
        case .task: return start(data, on: nil)
        case .queue(let queue): return start(data, on: QueueExecutor(queue: queue))
        }
    }

    private func answered(_ result: Observer<Output>) -> Observer<Output> {
        answer.queue.map { result.dispatchOn($0) } ?? result
    }

    /// Processes without a task, as a part of the current request, or of one that is made now. The caller's listeners
    /// are no part of it.
    private func processHere(_ data: Input) -> Observer<Output> {
        let outer = Run.currentOrEmpty
        guard outer.madeAt == nil else { return next.process(data) }
        return Run.within(outer.made(at: .now)) { next.process(data) }.delivering(in: outer)
    }

    private func start(_ data: Input, on executor: (any TaskExecutor)?) -> Observer<Output> {
        // The task delivers the caller's result when the run has completed, also when another thread cancels the run.
        let mailbox = Mailbox(isOpen: false)
        let madeAt = Run.current?.madeAt ?? .now
        return Run.within(Run.inTask(with: mailbox)) {
            let context = Context<Output>()
            let task = Task(executorPreference: executor) { [next] in
                // Another thread may have delivered before the start, by a cancel.
                let isOpen = mailbox.open()
                guard isOpen || !context.isSettled else { return }
                let outcome = await Execution.outcome(madeAt: madeAt) { next.process(data) }
                if !context.settle(outcome), isOpen { await mailbox.park() }
                mailbox.deliverAll(isLast: true)
            }
            context.onCancel { task.cancel() }
            return answered(context.observer)
        }
    }
}
