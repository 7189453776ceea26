import NodeCore

/// The first nodes of a chain, in the order in which a request passes them. The rest is still missing.
struct ChainSteps<Input: Sendable, Output: Sendable, NextInput: Sendable, NextOutput: Sendable> {
    private let chain: (Node<NextInput, NextOutput>) -> Node<Input, Output>

    /// Adds a node, which `make` creates with its next node.
    func step<I, O>(_ make: @escaping (Node<I, O>) -> Node<NextInput, NextOutput>) -> ChainSteps<Input, Output, I, O> {
        ChainSteps<Input, Output, I, O> { [chain] next in chain(make(next)) }
    }

    /// Adds a node unless `value` is nil.
    func step<Value>(
        for value: Value?, _ make: @escaping (Node<NextInput, NextOutput>, Value) -> Node<NextInput, NextOutput>
    ) -> ChainSteps {
        guard let value else { return self }
        return step { make($0, value) }
    }

    /// Adds an application's inserted nodes, the first one outermost.
    func inserted(
        _ nodes: [@Sendable (Node<NextInput, NextOutput>) -> Node<NextInput, NextOutput>]
    ) -> ChainSteps {
        nodes.reduce(self) { steps, make in steps.step(make) }
    }

    func end(_ last: Node<NextInput, NextOutput>) -> Node<Input, Output> {
        chain(last)
    }
}

extension ChainSteps where Input == NextInput, Output == NextOutput {
    init() {
        chain = { $0 }
    }
}
