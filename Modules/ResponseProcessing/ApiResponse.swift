public import HttpMessages
import Logging
public import Models
public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The value of a response, with the status and the headers of the same response.
///
/// ```swift
/// let page: ApiResponse<[User]> = try await builder.route(.get, .users).build().execute()
/// show(page.value, next: page.headers["Link"])
/// ```
///
/// After a retry, a token refresh or a redirect it is the last response. A response with a status outside 200…299,
/// unless the chain accepts it, is an ``HttpError`` as in all chains, which contains the response.
public struct ApiResponse<Value: Sendable>: Sendable {
    /// The value read from the body: a model, bytes, a file, a stream, or `Void` where the body is ignored.
    public var value: Value
    /// The status code (RFC 9110 §15). A resumed download with nothing missing has 206, although the server responded
    /// with 416; ``headers`` are then those of the 416.
    public var status: Int
    /// The headers as received, secrets included.
    public var headers: HttpHeaders
    /// The URL of the response, after redirects.
    public var url: URL
    /// The transfer's metrics, as far as the sender knows them; where the value is a stream, up to the headers.
    public var metrics: TransferMetrics
    /// What the client's cache did; nil for a client without one, and for a request that doesn't use it.
    public var cache: CacheOutcome?
    /// The redaction of the request.
    private var redaction = Redaction.standard

    /// Creates a response, for example in a test.
    public init(
        value: Value, status: Int = 200, headers: HttpHeaders = HttpHeaders(), url: URL,
        metrics: TransferMetrics = TransferMetrics()
    ) {
        self.value = value
        self.status = status
        self.headers = headers
        self.url = url
        self.metrics = metrics
    }

    /// Creates a response with all of `response` but its body, and with the value read from that.
    package init(value: Value, of response: HttpResponse) {
        self.init(
            value: value, status: response.status, headers: response.headers, url: response.url,
            metrics: response.metrics)
        cache = response.cache
        redaction = response.request.options.redaction
    }

    /// The `Location` of the response as a whole URL, resolved against ``url`` (RFC 9110 §10.2.2): what a 201 or 202
    /// created. nil without the header, or where it is no URL.
    public var location: URL? { headers.locationReference.flatMap { RedirectRule.target(of: $0, from: url) } }

    /// The target of the first link from this response with a relation type such as `next` (RFC 8288), as a whole URL,
    /// resolved against ``url``. nil without such a link in the `Link` fields, or where its target is no URL.
    ///
    /// A link whose `anchor` is another resource is no link from this response. `HttpHeaders.links` has all of them.
    public func link(_ relation: String) -> URL? {
        webLink(relation).flatMap { url.resolving($0.target) }
    }

    /// The first link from this response with a relation type.
    package func webLink(_ relation: String) -> WebLink? {
        headers.links.first { link in
            link.hasRelation(relation) && (link.anchor.map { url.resolving($0) == url.resolving("") } ?? true)
        }
    }

    /// The same response with another value.
    ///
    /// - Throws: what `transform` throws.
    public func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> ApiResponse<Other> {
        var other = ApiResponse<Other>(
            value: try transform(value), status: status, headers: headers, url: url, metrics: metrics)
        other.cache = cache
        other.redaction = redaction
        return other
    }
}

/// The pieces of a streamed body: `for try await piece in try await request.stream()`.
extension ApiResponse: AsyncSequence where Value == ByteStream {
    /// A piece of the body.
    public typealias Element = Data

    /// Returns an iterator over the stream, which ``value`` is.
    public func makeAsyncIterator() -> ByteStream.Iterator { value.makeAsyncIterator() }
}

extension ApiResponse {
    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "value")
    public var body: Value { value }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "value")
    public var data: Value { value }

    /// Unavailable: states how text is received.
    @available(*, unavailable, message: "write send(as: String.self), or send(as: ApiResponse<String>.self)")
    public var text: String { "" }

    /// Unavailable: states how JSON is received.
    @available(*, unavailable, message: "write send(as: Json.self), or send(as: ApiResponse<Json>.self)")
    public var json: Json { Json() }

    /// Unavailable: states how a model is received.
    @available(*, unavailable, message: "write send(as: Model.self), or send(as: ApiResponse<Model>.self)")
    public func decode<Model>(_ type: Model.Type) throws -> Model { throw CancellationError() }

    /// Unavailable: says that there are no others.
    @available(*, unavailable, message: "it is one: send() throws an HttpError for a status that isn't accepted")
    public var isSuccess: Bool { true }

    /// Unavailable: says that there are no others.
    @available(*, unavailable, message: "it is: send() throws an HttpError for a status that isn't accepted")
    public var ok: Bool { true }

    /// Unavailable: names the property.
    @available(*, unavailable, message: "read response.cache?.isStored")
    public var isFromCache: Bool { false }

    /// Unavailable: names the subscript.
    @available(*, unavailable, message: "write response.headers[name]")
    public func header(_ name: String) -> String? { headers[name] }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "status")
    public var statusCode: Int { status }
}

extension ApiResponse: MaskedValue {
    /// The status, the value's type and the URL; secrets masked. No header, and nothing of the value.
    public var description: String {
        "status \(status) with \(Value.self) from \(redaction.url(url.absoluteString))"
    }
}

extension ApiResponse: JsonProvenanceKnowing {
    package var provenance: (any JsonProvenance)? {
        (value as? any JsonProvenanceKnowing)?.provenance
    }
}
