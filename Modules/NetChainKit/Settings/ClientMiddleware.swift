import NodeCore
public import UrlTransport

/// Work around the sending of requests, in ten lines: it may change the request, look at the response, send again, or
/// answer by itself.
///
/// ```swift
/// struct Signature: ClientMiddleware {
///     func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
///         var request = request
///         request.headers["X-Signature"] = sign(request)
///         return try await next(request)
///     }
/// }
/// let signed = api.middleware(Signature())
/// ```
public protocol ClientMiddleware: Sendable {
    /// What comes behind this middleware.
    typealias Next = MiddlewareNext

    /// Gives the response to a request. Called in a task of its own, which a cancel of the request cancels; any number
    /// of times at once.
    ///
    /// - Throws: what becomes the error of the request.
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse
}

/// What comes behind a middleware, down to the server and back.
public struct MiddlewareNext: Sendable {
    fileprivate let node: Node<HttpRequest, HttpResponse>

    /// Sends the request on. May be called any number of times, also at once.
    ///
    /// - Throws: why there is no response.
    public func callAsFunction(_ request: HttpRequest) async throws -> HttpResponse {
        try await node.execute(request)
    }
}

/// Where a middleware stands.
public enum MiddlewarePlace: Sendable {
    /// Around each sending: inside of retries and token refreshes, after the token was added. Every status is a response
    /// here.
    case aroundAttempt
    /// Around the whole request, once: outside of retries and token refreshes, before there is a token. A status that
    /// isn't accepted is a thrown `HttpError` here.
    case aroundRequest
}

/// Runs a middleware. Where a further chain is given, the response goes through that too.
final class MiddlewareNode: Node<HttpRequest, HttpResponse>, @unchecked Sendable {  // immutable state
    private let next: Node<HttpRequest, HttpResponse>
    private let responseChain: Node<HttpResponse, HttpResponse>?
    private let middleware: any ClientMiddleware

    init(
        _ middleware: any ClientMiddleware, next: Node<HttpRequest, HttpResponse>,
        responseChain: Node<HttpResponse, HttpResponse>? = nil
    ) {
        self.next = next
        self.responseChain = responseChain
        self.middleware = middleware
    }

    override func process(_ data: HttpRequest) -> Observer<HttpResponse> {
        let response = Observer(async: { [middleware, next] in
            try await middleware.intercept(data, next: MiddlewareNext(node: next))
        })
        guard let responseChain else { return response }
        return response.flatMap { responseChain.process($0) }
    }

    override var name: String {
        "\(type(of: middleware))"
    }
}
