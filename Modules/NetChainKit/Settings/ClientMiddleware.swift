import NodeCore
public import UrlTransport

/// Middleware around the sending of requests. It can change the request, inspect the response, send again, or return a
/// response itself.
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
    /// The rest of the chain after this middleware.
    typealias Next = MiddlewareNext

    /// Returns the response to a request. Called in a dedicated task, which is canceled with the request. Calls may run
    /// concurrently.
    ///
    /// - Throws: the error of the request.
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse
}

/// The rest of the chain after a middleware, to the server and back.
public struct MiddlewareNext: Sendable {
    fileprivate let node: Node<HttpRequest, HttpResponse>

    /// Passes the request to the rest of the chain. It can be called any number of times, also concurrently.
    ///
    /// - Throws: the error of the rest of the chain.
    public func callAsFunction(_ request: HttpRequest) async throws -> HttpResponse {
        try await node.execute(request)
    }
}

/// The position of a middleware in the chain.
public enum MiddlewarePlace: Sendable {
    /// Around each attempt: inside of retries and token refreshes, after the token was added. Every status is a
    /// response here.
    case aroundAttempt
    /// Around the whole request, once: outside of retries and token refreshes, before a token is added. A status that
    /// isn't accepted is thrown as an `HttpError` here.
    case aroundRequest
}

/// A middleware without a type of its own.
struct ClosureMiddleware: ClientMiddleware {
    let body: @Sendable (HttpRequest, MiddlewareNext) async throws -> HttpResponse

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        try await body(request, next)
    }
}

/// Runs a middleware. Its response then passes through `responseChain`, if there is one.
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
