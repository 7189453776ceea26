import HttpMessages
public import NodeCore

/// Adds metadata to the request. In HTTP they become headers.
open class MetadataConnectorNode<Raw: Sendable, Output: Sendable>: AsyncNode<Raw, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<RequestModel<Raw>, Output>
    package let headers: HttpHeaders

    /// Creates the node.
    public init(next: Node<RequestModel<Raw>, Output>, metadata: [String: String]) {
        self.next = next
        headers = HttpHeaders(metadata)
    }

    /// Creates the node with headers that may occur several times.
    package init(next: Node<RequestModel<Raw>, Output>, headers: HttpHeaders) {
        self.next = next
        self.headers = headers
    }

    open override func execute(_ data: Raw) async throws -> Output {
        try await next.execute(RequestModel(headers: headers, raw: data))
    }
}

extension MetadataConnectorNode: CustomReflectable {
    /// Contains the next node, and none of the headers.
    public var customMirror: Mirror {
        Mirror(self, children: ["next": next])
    }
}
