public import NodeCore

/// Converts the application's model to its DTO, and the DTO of the response to the application's model.
open class ModelInputNode<Input: DTOEncodable, Output: DTODecodable>: AsyncNode<Input, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<Input.DTO, Output.DTO>

    /// Creates the node.
    public init(next: Node<Input.DTO, Output.DTO>) {
        self.next = next
    }

    open override func execute(_ data: Input) async throws -> Output {
        let dto = try await next.execute(try recordingFailure { try data.toDTO() })
        return try recordingFailure { try Output.from(dto: dto) }
    }
}
