import HttpMessages
public import NodeCore

/// Sets custom headers, such as a locale, in every request. They replace headers with the same name.
open class HeaderInjectorNode<Output: Sendable>: AsyncNode<HttpRequest, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<HttpRequest, Output>
    package let headers: [String: String]

    /// Creates the node.
    public init(next: Node<HttpRequest, Output>, headers: [String: String]) {
        self.next = next
        self.headers = headers
    }

    open override func execute(_ data: HttpRequest) async throws -> Output {
        var data = data
        if data.isElsewhere {
            let secrets = OriginSecrets(data.options)
            data.headers.set(headers.filter { !secrets.isBoundToOrigin(header: $0.key) })
        } else {
            data.headers.set(headers)
        }
        return try await next.execute(data)
    }
}

extension HeaderInjectorNode: CustomReflectable {
    /// Contains the next node, and none of the headers.
    public var customMirror: Mirror {
        Mirror(self, children: ["next": next])
    }
}
