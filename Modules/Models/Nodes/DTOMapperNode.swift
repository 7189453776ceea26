public import NodeCore

/// Converts a DTO to its raw form, such as `Json`, and the raw form of the response to a DTO.
open class DTOMapperNode<Input: RawEncodable, Output: RawDecodable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    /// The next node, which processes raw forms.
    package let next: Node<Input.Raw, Output.Raw>

    /// Creates the node.
    public init(next: Node<Input.Raw, Output.Raw>) {
        self.next = next
    }

    open override func process(_ data: Input) -> Observer<Output> {
        do {
            return next.process(try data.toRaw()).map { raw in try self.mapping(raw) { try Output.from(raw: $0) } }
        } catch {
            return .emit(error: noted(error))
        }
    }
}
