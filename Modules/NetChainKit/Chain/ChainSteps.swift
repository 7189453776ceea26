import Logging
import NodeCore

/// A part of a chain: its nodes in the order in which a request meets them. What follows it is still missing.
struct ChainSteps<Input: Sendable, Output: Sendable, NextInput: Sendable, NextOutput: Sendable> {
    /// Whether each node is measured.
    let isTraced: Bool
    private let chain: (Node<NextInput, NextOutput>) -> Node<Input, Output>

    /// Adds the node that `make` puts before the next one.
    func step<I, O>(_ make: @escaping (Node<I, O>) -> Node<NextInput, NextOutput>) -> ChainSteps<Input, Output, I, O> {
        ChainSteps<Input, Output, I, O>(isTraced: isTraced) { [chain, isTraced] next in
            let node = make(next)
            return chain(isTraced ? node.traced() : node)
        }
    }

    /// Adds a node where there is a value for it.
    func step<Value>(
        for value: Value?, _ make: @escaping (Node<NextInput, NextOutput>, Value) -> Node<NextInput, NextOutput>
    ) -> ChainSteps {
        guard let value else { return self }
        return step { make($0, value) }
    }

    /// Adds the nodes that `add` adds.
    func steps<I, O>(_ add: (ChainSteps) -> ChainSteps<Input, Output, I, O>) -> ChainSteps<Input, Output, I, O> {
        add(self)
    }

    /// Adds the nodes that an application inserted here, the first one outermost.
    func inserted(
        _ nodes: [@Sendable (Node<NextInput, NextOutput>) -> Node<NextInput, NextOutput>]
    ) -> ChainSteps {
        nodes.reduce(self) { steps, make in steps.step(make) }
    }

    /// The whole: the nodes, with `last` behind them.
    func end(_ last: Node<NextInput, NextOutput>) -> Node<Input, Output> {
        chain(isTraced ? last.traced() : last)
    }
}

extension ChainSteps where Input == NextInput, Output == NextOutput {
    /// No node yet.
    init(isTraced: Bool) {
        self.isTraced = isTraced
        chain = { $0 }
    }
}
