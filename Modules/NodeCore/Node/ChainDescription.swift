/// The nodes downstream of a node, for a test, a log or a person to inspect.
///
/// ```swift
/// print(node.chain)              // one node a line, side chains indented
/// #expect(node.chain.names == ["LoggerNode", "ChainConfiguratorNode", …])
/// ```
public struct ChainDescription: Equatable, Sendable, CustomStringConvertible {
    /// A node of the chain and the side chains that start at it.
    package struct Link: Equatable, Sendable {
        package let name: String
        /// Side chains that the node uses besides its next node, such as a token refresh.
        package let branches: [ChainDescription]
    }

    /// The chain's nodes in the order in which a request passes them.
    package let links: [Link]

    /// The names of the chain's nodes, in order; side chains are left out.
    public var names: [String] {
        links.map(\.name)
    }

    /// One node a line, side chains indented under the node that starts them.
    public var description: String {
        lines(indent: "").joined(separator: "\n")
    }

    init(of node: AnyNode) {
        var seen: Set<ObjectIdentifier> = []
        self.init(of: node, seen: &seen)
    }

    /// The description ends at a node that occurs a second time (a chain that is wired into a ring).
    private init(of node: AnyNode, seen: inout Set<ObjectIdentifier>) {
        var links: [Link] = []
        var current: AnyNode? = node
        while let node = current, seen.insert(ObjectIdentifier(node)).inserted {
            let next = node.nextNodes
            var branches: [ChainDescription] = []
            for branch in next.dropFirst() {
                var path = seen
                let description = ChainDescription(of: branch, seen: &path)
                if !description.links.isEmpty { branches.append(description) }
            }
            links.append(Link(name: node.name, branches: branches))
            current = next.first
        }
        self.links = links
    }

    private func lines(indent: String) -> [String] {
        links.flatMap { link in
            ["\(indent)\(link.name)"] + link.branches.flatMap { $0.lines(indent: indent + "    ") }
        }
    }
}
