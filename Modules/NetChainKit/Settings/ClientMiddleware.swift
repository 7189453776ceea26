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

    /// Returns the response to a request. Called in the task of the request. Calls may run
    /// concurrently.
    ///
    /// - Throws: the error of the request.
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse
}

/// The rest of the chain after a middleware, to the server and back.
public struct MiddlewareNext: Sendable {
    fileprivate let node: Node<HttpRequest, HttpResponse>
    /// The request that the middleware received, whose session holds for all that it sends.
    fileprivate let received: HttpRequest

    /// Passes the request to the rest of the chain. It can be called any number of times, also concurrently.
    ///
    /// A request to another origin than the received one is sent without the credentials of the chain: without the
    /// received headers that are secrets, and without those that the chain would add.
    ///
    /// - Throws: the error of the rest of the chain.
    public func callAsFunction(_ request: HttpRequest) async throws -> HttpResponse {
        try await node.execute(request.passed(after: received))
    }
}

extension HttpRequest {
    /// The request as the chain gets it from a middleware that received `first`. It belongs to the same
    /// session, and has the same secrets, which go to the same origin only.
    fileprivate func passed(after first: HttpRequest) -> HttpRequest {
        var request = self
        if !request.options.secretHeaders.isSuperset(of: first.options.secretHeaders) {
            request.options.secretHeaders.formUnion(first.options.secretHeaders)
        }
        request.options.redaction = request.options.redaction.merging(first.options.redaction)
        request.credentialsOrigin = first.credentialsOrigin
        if request.wait == nil, first.wait != nil { request.wait = first.wait }
        if request.madeAt == nil, first.madeAt != nil { request.madeAt = first.madeAt }
        if request.admissions.isEmpty, !first.admissions.isEmpty { request.admissions = first.admissions }
        guard url != first.url else { return request }
        let from = Origin(first.url)
        guard from != Origin(url) else { return request }
        request.credentialsOrigin = first.credentialsOrigin ?? from
        #if os(Linux)
        if request.options.unixSocket == first.options.unixSocket { request.options.unixSocket = nil }
        #endif
        let secrets = OriginSecrets(request.options)
        request.headers.removeAll { field in
            secrets.isBoundToOrigin(header: field.name)
                && first.headers.values(of: field.name).contains(field.value)
        }
        return request
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

    /// Unavailable: names the place.
    @available(*, unavailable, renamed: "aroundAttempt")
    public static var attempt: MiddlewarePlace { .aroundAttempt }

    /// Unavailable: names the place.
    @available(*, unavailable, renamed: "aroundAttempt")
    public static var eachAttempt: MiddlewarePlace { .aroundAttempt }

    /// Unavailable: names the place.
    @available(*, unavailable, renamed: "aroundRequest")
    public static var request: MiddlewarePlace { .aroundRequest }
}

/// A middleware without a type of its own.
struct ClosureMiddleware: ClientMiddleware {
    let body: @Sendable (HttpRequest, MiddlewareNext) async throws -> HttpResponse

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        try await body(request, next)
    }
}

/// Runs a middleware. Its response then passes through `responseChain`, if there is one.
final class MiddlewareNode: AsyncNode<HttpRequest, HttpResponse>, @unchecked Sendable {  // immutable state
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

    override func execute(_ data: HttpRequest) async throws -> HttpResponse {
        try Task.checkCancellation()
        let response = try await middleware.intercept(data, next: MiddlewareNext(node: next, received: data))
        return try await responseChain?.execute(response) ?? response
    }

    override var name: String {
        "\(type(of: middleware))"
    }
}
