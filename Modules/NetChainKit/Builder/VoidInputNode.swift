public import Models
public import NodeCore
import UrlTransport

/// Starts a chain that needs no input.
///
/// The next node gets an empty JSON object. In the chain of a builder it is no body, also where the object passes through
/// other nodes unchanged.
open class VoidInputNode<Output: Sendable>: AsyncNode<Void, Output>, @unchecked Sendable {  // immutable state
    private let next: Node<Json, Output>

    /// Creates the node.
    public init(next: Node<Json, Output>) {
        self.next = next
    }

    open override func execute(_ data: Void) async throws -> Output {
        try await next.execute(try recordingFailure { try Json.noBody })
    }
}
