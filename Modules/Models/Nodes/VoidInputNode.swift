public import NodeCore

/// Starts a chain that needs no input and gives a model: ``ModelInputNode`` and ``DTOMapperNode`` for such chains.
open class VoidInputNode<Output: DTODecodable>: Node<Void, Output>, @unchecked Sendable {  // immutable state
    /// The node that gives the raw form.
    public let next: Node<Void, Output.DTO.Raw>

    /// Makes the node.
    public init(next: Node<Void, Output.DTO.Raw>) {
        self.next = next
    }

    open override func process(_ data: Void) -> Observer<Output> {
        next.process(data).map { raw in
            try self.noting {
                let entry = try mapNamingOrigin(raw) { try Output.DTO.from(raw: $0) }
                return try Output.from(dto: consume entry)
            }
        }
    }
}
