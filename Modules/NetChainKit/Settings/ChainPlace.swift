import NodeCore
public import UrlTransport

/// A place in every chain where an application can insert nodes, between the nodes that `Docs/Chains.md` lists.
public struct ChainPlace<Input: Sendable>: Sendable {
    typealias Make = @Sendable (Node<Input, HttpResponse>) -> Node<Input, HttpResponse>

    let nodes: any WritableKeyPath<InsertedNodes, [Make]> & Sendable
}

extension ChainPlace where Input == HttpRequest {
    /// Once for each request, outside of token refreshes and retries. The request has no token yet.
    public static var request: ChainPlace { ChainPlace(nodes: \.request) }

    /// Once for each attempt, inside of token refreshes and retries, outside of attempt middleware.
    public static var attempt: ChainPlace { ChainPlace(nodes: \.attempt) }
}

extension ChainPlace where Input == HttpResponse {
    /// Once for each response whose status is accepted, before its body is read as JSON.
    public static var response: ChainPlace { ChainPlace(nodes: \.response) }
}

/// The nodes that an application inserted into the chains of a client or a builder, by place.
struct InsertedNodes: Sendable {
    var request: [ChainPlace<HttpRequest>.Make] = []
    var attempt: [ChainPlace<HttpRequest>.Make] = []
    var response: [ChainPlace<HttpResponse>.Make] = []

    var isEmpty: Bool { request.isEmpty && attempt.isEmpty && response.isEmpty }
}
