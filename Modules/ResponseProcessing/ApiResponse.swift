import Logging
package import Models
public import NodeCore
public import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a request gave, with the status and the headers of the very answer that it came in.
///
/// ```swift
/// let page: ApiResponse<[User]> = try await builder.route(.get, .users).build().execute()
/// show(page.value, next: page.headers["Link"])
/// ```
///
/// After a retry, a token refresh or a redirect it is the last answer. One that is an error, as every status outside
/// 200…299 unless the chain accepts it, is an ``HttpError`` as in all chains, and has its answer there.
public struct ApiResponse<Value: Sendable>: Sendable {
    /// What was made of the body: a model, bytes, a file, a stream, or `Void` where it is ignored.
    public var value: Value
    /// The status code (RFC 9110 §15). A download that is resumed and finds nothing missing has 206, although the server
    /// said 416; ``headers`` are then those of the 416.
    public var status: Int
    /// The headers as they came, secrets included.
    public var headers: HttpHeaders
    /// Where the answer came from, after redirects.
    public var url: URL
    /// What the transfer cost, as far as the sender knows; where the model is a stream, up to the headers.
    public var metrics: TransferMetrics
    /// That of the request.
    private var redaction = Redaction.standard

    /// Creates a response.
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

    /// All of an answer but its body, and what was made of that.
    package init(value: Value, of response: HttpResponse) {
        self.init(
            value: value, status: response.statusCode, headers: response.headers, url: response.url,
            metrics: response.metrics)
        redaction = response.request.options.redaction
    }

    /// The same answer with another model.
    ///
    /// - Throws: what `transform` throws.
    public func map<Other: Sendable>(_ transform: (Value) throws -> Other) rethrows -> ApiResponse<Other> {
        var other = ApiResponse<Other>(
            value: try transform(value), status: status, headers: headers, url: url, metrics: metrics)
        other.redaction = redaction
        return other
    }
}

extension ApiResponse: MaskedValue {
    /// The status, the model's type and the URL; secrets masked. No header, and nothing of the model.
    public var description: String {
        "status \(status) with \(Value.self) from \(redaction.url(url.absoluteString))"
    }
}

extension ApiResponse: JsonOriginKnowing {
    /// That of the value.
    package var origin: (any JsonOrigin)? {
        (value as? any JsonOriginKnowing)?.origin
    }
}
