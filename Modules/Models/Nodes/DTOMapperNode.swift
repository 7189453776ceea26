public import NodeCore

/// Turns an entry (DTO) into its raw form, `Json` for instance, on the way down, and the answer's raw form into an
/// entry on the way up.
open class DTOMapperNode<Input: RawEncodable, Output: RawDecodable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    /// The node that works with raw forms.
    public let next: Node<Input.Raw, Output.Raw>

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
