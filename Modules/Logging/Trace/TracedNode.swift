public import NodeCore

extension Node {
    /// This node, with its time in the journal of each run: a ``Span`` from the call to the completion of what it
    /// returned.
    ///
    /// It replaces the node in a chain and has the same description. Without a logger it costs at most one read of a
    /// task-local value.
    ///
    /// ```swift
    /// let sender = RequestSenderNode(…).traced()
    /// let chain = LoggerNode(next: HeaderInjectorNode(next: sender).traced())
    /// ```
    public func traced() -> Node<Input, Output> {
        self as? TracedNode<Input, Output> ?? TracedNode(self)
    }
}

/// Measures another node.
final class TracedNode<Input: Sendable, Output: Sendable>: AsyncNode<Input, Output>,
    @unchecked Sendable
{  // immutable state
    private let node: Node<Input, Output>
    private let id: String

    init(_ node: Node<Input, Output>) {
        self.node = node
        id = node.name
        super.init()
        places = node.places
    }

    override var name: String {
        id
    }

    override var nextNodes: [AnyNode] {
        node.nextNodes
    }

    override func execute(_ data: Input) async throws -> Output {
        guard let journal = Journal.current else { return try await node.execute(data) }
        let start = ContinuousClock.now
        let outcome = await Outcome { try await node.execute(data) }
        journal.append(Span(id: id, start: start, duration: .now - start, end: outcome.name))
        return try outcome.get()
    }
}
