public import NodeCore

/// Turns the application's model into its entry (DTO) on the way down, and the answer's entry into the application's
/// model on the way up.
open class ModelInputNode<Input: DTOEncodable, Output: DTODecodable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    /// The node that works with entries.
    public let next: Node<Input.DTO, Output.DTO>

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
