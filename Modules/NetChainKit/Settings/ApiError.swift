import Models
public import NodeCore
public import ResponseProcessing
public import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The error of a status that isn't accepted, with the server's error model. See
/// ``RequestConfigurable/mapErrors(as:)``.
public struct ApiError<Problem: Decodable & Sendable>: Error {
    /// The server's error model, decoded from the body of the response.
    public let problem: Problem
    /// The underlying error, without the model.
    public let error: HttpError

    /// The response: status, headers and body.
    public var response: HttpResponse { error.response }

    /// nil if the body doesn't decode as the model.
    init?(_ error: HttpError) {
        guard let problem = try? error.decodeBody(as: Problem.self) else { return nil }
        self.problem = problem
        self.error = error
    }
}

extension ApiError: NetChainFailure {
    /// The status of the response.
    public var status: Int? { error.status }
    /// The delay that the response's `Retry-After` asks for.
    public var retryAfter: Duration? { error.retryAfter }
    /// The status, such as `404`.
    public var errorType: String { error.errorType }
    /// Whether the status means that the server may accept the request later.
    public var isRetryable: Bool { error.isRetryable }
}

extension ApiError: MaskedValue {
    /// The description of the underlying error, and that of the model if it has one (`CustomStringConvertible`); secrets
    /// masked.
    public var description: String {
        guard let text = (problem as? any CustomStringConvertible)?.description else { return error.description }
        return "\(error.description): \(response.request.options.redaction.text(text))"
    }
}

extension ApiError: DescribedError {}

// NodeCore doesn't import Foundation, so this module adds the conformance.
extension ChainError: DescribedError {}

extension ApiError: BodyRetaining {
    package var retainedBodyBytes: Int { error.retainedBodyBytes }
}

/// Maps an `HttpError` to an ``ApiError`` of the first model that decodes.
final class ApiErrorNode: AsyncNode<HttpRequest, HttpResponse>, @unchecked Sendable {  // immutable state
    private let next: Node<HttpRequest, HttpResponse>
    private let models: [@Sendable (HttpError) -> (any Error)?]

    init(next: Node<HttpRequest, HttpResponse>, models: [@Sendable (HttpError) -> (any Error)?]) {
        self.next = next
        self.models = models
    }

    override func execute(_ data: HttpRequest) async throws -> HttpResponse {
        do {
            return try await next.execute(data)
        } catch let error as HttpError {
            throw models.lazy.compactMap { $0(error) }.first ?? error
        }
    }
}
