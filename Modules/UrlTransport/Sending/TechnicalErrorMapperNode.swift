import HttpMessages
public import NodeCore

/// Maps the transport errors of the network to `TechnicalError`. The input and other errors pass unchanged.
open class TechnicalErrorMapperNode<Output: Sendable>: AsyncNode<HttpRequest, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<HttpRequest, Output>

    /// Creates the node.
    public init(next: Node<HttpRequest, Output>) {
        self.next = next
    }

    open override func execute(_ data: HttpRequest) async throws -> Output {
        do {
            return try await next.execute(data)
        } catch {
            throw TechnicalError.mapping(error)
        }
    }
}
