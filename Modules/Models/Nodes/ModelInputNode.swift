public import NodeCore

/// Converts the application's model to its DTO, and the DTO of the response to the application's model.
open class ModelInputNode<Input: DTOEncodable, Output: DTODecodable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    /// The next node, which processes DTOs.
    package let next: Node<Input.DTO, Output.DTO>

    /// Creates the node.
    public init(next: Node<Input.DTO, Output.DTO>) {
        self.next = next
    }

    open override func process(_ data: Input) -> Observer<Output> {
        do {
            return next.process(try data.toDTO()).map { dto in try self.noting { try Output.from(dto: dto) } }
        } catch {
            return .emit(error: noted(error))
        }
    }
}
