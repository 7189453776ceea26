import HttpMessages
public import Models
public import NodeCore
import ResponseProcessing
import UrlTransport

/// Starts a chain that needs no input.
///
/// The next node gets an empty JSON object. In the chain of a builder it is no body, also where the object passes through
/// other nodes unchanged.
open class VoidInputNode<Output: Sendable>: AsyncNode<Void, Output>, @unchecked Sendable {  // immutable state
    private enum Next: Sendable {
        case node(Node<Json, Output>)
        case request(Node<RequestPayload, HttpResponse>, @Sendable (HttpResponse) throws -> Output)
    }

    private let next: Next

    /// Creates the node.
    public init(next: Node<Json, Output>) {
        self.next = .node(next)
    }

    /// Creates the node of a chain without nodes for models.
    init(next: Node<RequestPayload, HttpResponse>, output: @escaping @Sendable (HttpResponse) throws -> Output) {
        self.next = .request(next, output)
    }

    open override func execute(_ data: Void) async throws -> Output {
        switch next {
        case .node(let next):
            return try await next.execute(try recordingFailure { try Json.noBody })
        case .request(let next, let output):
            let response = try await next.execute(.none)
            return try recordingFailure { try output(response) }
        }
    }

    /// The next node.
    open override var nextNodes: [AnyNode] {
        switch next {
        case .node(let next): [next]
        case .request(let next, _): [next]
        }
    }
}
