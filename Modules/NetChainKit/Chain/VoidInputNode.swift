public import HttpMessages
public import Models
public import NodeCore
public import ResponseProcessing
public import UrlTransport

/// Starts a chain that needs no input and gives a model: the counterpart of `ModelInputNode` and `DTOMapperNode`.
open class VoidInputNode<Output: DTODecodable>: AsyncNode<Void, Output>, @unchecked Sendable
where Output.DTO.Raw: ResponseConvertible {  // immutable state
    private let next: Node<RequestPayload, HttpResponse>

    /// Creates the node.
    public init(next: Node<RequestPayload, HttpResponse>) {
        self.next = next
    }

    open override func execute(_ data: Void) async throws -> Output {
        let response = try await next.execute(.none)
        return try noting { try Output.model(from: response) }
    }
}
