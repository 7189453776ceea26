/// What all nodes have in common whatever they take and give: a name and what comes after them.
public protocol AnyNode: AnyObject, Sendable {
    /// What this node is called in descriptions and logs: its type's name without the generic arguments.
    var name: String { get }

    /// The nodes that this one hands work to: first the next of the chain, then those of side chains.
    var nextNodes: [any AnyNode] { get }
}

extension AnyNode {
    /// The chain that starts here, node by node in the order in which a request meets them.
    public var chain: ChainDescription {
        ChainDescription(of: self)
    }
}
