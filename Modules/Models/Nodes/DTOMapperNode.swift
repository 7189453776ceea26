public import NodeCore

/// Converts a DTO to its raw form, such as `Json`, and the raw form of the response to a DTO.
open class DTOMapperNode<Input: RawEncodable, Output: RawDecodable>: AsyncNode<Input, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<Input.Raw, Output.Raw>

    /// Creates the node.
    public init(next: Node<Input.Raw, Output.Raw>) {
        self.next = next
    }

    open override func execute(_ data: Input) async throws -> Output {
        let raw = try await next.execute(try recordingFailure { try data.toRaw() })
        return try mapping(raw) { try Output.from(raw: $0) }
    }
}
