public import NodeCore

/// Turns the application's model into its entry (DTO) on the way down; the answer passes as it is.
open class DTOEncoderNode<Input: DTOEncodable, Output: Sendable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    /// The node that takes entries.
    public let next: Node<Input.DTO, Output>

    /// Makes the node.
    public init(next: Node<Input.DTO, Output>) {
        self.next = next
    }

    open override func process(_ data: Input) -> Observer<Output> {
        do {
            return next.process(try data.toDTO())
        } catch {
            return .emit(error: noted(error))
        }
    }
}

/// Turns an entry (DTO) into its raw form on the way down; the answer passes as it is.
open class RawEncoderNode<Input: RawEncodable, Output: Sendable>: Node<Input, Output>,
    @unchecked Sendable
{  // immutable state
    /// The node that takes raw forms.
    public let next: Node<Input.Raw, Output>

    /// Makes the node.
    public init(next: Node<Input.Raw, Output>) {
        self.next = next
    }

    open override func process(_ data: Input) -> Observer<Output> {
        do {
            return next.process(try data.toRaw())
        } catch {
            return .emit(error: noted(error))
        }
    }
}
