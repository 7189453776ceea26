import NodeCore
public import UrlTransport

/// A place in every chain where an application puts nodes of its own: between the nodes of the list in `Docs/Chains.md`.
public struct ChainPlace<Input: Sendable>: Sendable {
    typealias Make = @Sendable (Node<Input, HttpResponse>) -> Node<Input, HttpResponse>

    let nodes: any WritableKeyPath<InsertedNodes, [Make]> & Sendable
}

extension ChainPlace where Input == HttpRequest {
    /// Once for each request, outside of token refreshes and retries. The request has no token yet.
    public static var request: ChainPlace { ChainPlace(nodes: \.request) }

    /// Each time that a request is sent, inside of token refreshes and retries; the request is what the sender gets.
    public static var attempt: ChainPlace { ChainPlace(nodes: \.attempt) }
}

extension ChainPlace where Input == HttpResponse {
    /// Each response whose status is accepted, before its body is read as JSON.
    public static var response: ChainPlace { ChainPlace(nodes: \.response) }
}

/// The nodes that an application put into the chains of a builder, by place.
struct InsertedNodes: Sendable {
    var request: [ChainPlace<HttpRequest>.Make] = []
    var attempt: [ChainPlace<HttpRequest>.Make] = []
    var response: [ChainPlace<HttpResponse>.Make] = []

    var isEmpty: Bool { request.isEmpty && attempt.isEmpty && response.isEmpty }
}
