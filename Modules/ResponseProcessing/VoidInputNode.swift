public import Models
public import NodeCore
public import UrlTransport

/// Starts a chain that needs no input and gives a model: `ModelInputNode`, `DTOMapperNode` and ``PayloadNode`` for such
/// chains.
open class VoidInputNode<Output: DTODecodable>: PayloadNode<Void, Output>, @unchecked Sendable
where Output.DTO.Raw: ResponseConvertible {  // immutable state
    /// Creates the node.
    public init(next: Node<RequestPayload, HttpResponse>) {
        super.init(next: next, payload: { .none }, output: Output.model(from:))
    }
}

extension DTODecodable where DTO.Raw: ResponseConvertible {
    /// The model, converted from its raw form and its entry.
    @Sendable package static func model(from response: HttpResponse) throws -> Self {
        let entry = try mapNamingOrigin(try DTO.Raw.from(response: response)) { try DTO.from(raw: $0) }
        return try from(dto: consume entry)
    }
}
