import HttpMessages
import Logging
import Models
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Creates the HTTP request: the metadata become headers, the route the URL, and the parameters what their encoding
/// defines.
///
/// An invalid route or parameter fails the request with `RequestBuildingError`, and nothing is sent.
open class UrlRequestTransformerNode<Output: Sendable>:
    AsyncNode<EncodableRequestModel<any UrlRouteProvider, RequestPayload, ParametersEncoding>, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<HttpRequest, Output>
    package let method: HttpMethod
    private let options: RequestOptions

    /// Creates the node.
    public init(next: Node<HttpRequest, Output>, method: HttpMethod) {
        self.next = next
        self.method = method
        options = RequestOptions()
    }

    /// - Parameter options: the options of each request.
    package init(next: Node<HttpRequest, Output>, method: HttpMethod, options: RequestOptions) {
        self.next = next
        self.method = method
        self.options = options
    }

    open override func execute(
        _ data: EncodableRequestModel<any UrlRouteProvider, RequestPayload, ParametersEncoding>
    ) async throws -> Output {
        try await next.execute(try request(of: data))
    }

    private func request(
        of data: EncodableRequestModel<any UrlRouteProvider, RequestPayload, ParametersEncoding>
    ) throws -> HttpRequest {
        do {
            var request = try HttpRequest(method: method, route: data.route, headers: data.headers, options: options)
            if options.isRepeatable { request.addIdempotencyKey() }
            switch data.raw {
            case .none: break
            case .json(let parameters): try data.encoding.encode(parameters, into: &request)
            case .form(let form):
                request.body = .data(Data(try form.encoded().utf8))
                request.setContentType("application/x-www-form-urlencoded")
            case .multipart(let form): try request.setMultipartBody(form.parts)
            case .body(let body, let contentType):
                request.body = body
                request.setContentType(contentType)
            }
            return request
        } catch {
            log(error, level: .error)
            throw error
        }
    }
}

extension HttpRequest {
    init(
        method: HttpMethod, route: any UrlRouteProvider, headers: HttpHeaders,
        options: RequestOptions = RequestOptions()
    ) throws {
        let url = try RequestBuildingError.wrappingRouteFailure { try route.url() }.normalized
        try Self.check(url)
        try headers.validate()
        self.init(method: method, url: url, headers: headers, options: options, madeAt: Run.current?.madeAt)
    }

    private static func check(_ url: URL) throws {
        guard Origin(plain: url) == nil else { return }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            guard let name = url.scheme, !name.isEmpty else {
                let text = Redaction.standard.url(url.absoluteString)
                throw RequestBuildingError(
                    .invalidUrl, "The route's URL \"\(text)\" has no scheme. Is \"https://\" missing in front of it?")
            }
            // In `localhost:8080/users` the URL parser takes the host for the scheme.
            let question = url.absoluteString.hasPrefix("\(name)://") ? "" : " Is \"http://\" missing in front of it?"
            throw RequestBuildingError(
                .invalidUrl, "The route's URL has the scheme \"\(name)\"; only http and https can be sent.\(question)")
        }
        guard let host = url.host, !host.isEmpty else {
            throw RequestBuildingError(.invalidUrl, "The route's URL names no host.")
        }
    }

    mutating func setMultipartBody(_ parts: [MultipartPart]) throws {
        let encoder = MultipartEncoder()
        body = try encoder.encode(parts)
        headers["Content-Type"] = encoder.contentType
    }
}
