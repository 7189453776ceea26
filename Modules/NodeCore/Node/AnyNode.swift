/// What all nodes have in common whatever their input and output: a name and the nodes downstream.
public protocol AnyNode: AnyObject, Sendable {
    /// What this node is called in descriptions and logs: its type's name without the generic arguments.
    var name: String { get }

    /// The nodes that this one calls: first the next of the chain, then those of side chains.
    var nextNodes: [any AnyNode] { get }
}

extension AnyNode {
    /// The chain that starts here, in the order in which a request passes its nodes.
    public var chain: ChainDescription {
        ChainDescription(of: self)
    }
}
