import HttpMessages
import Logging
public import NodeCore

/// Completes the request for one sending: calls the metadata providers right before it, and sets the headers that they
/// return.
///
/// A request that middleware has sent to another origin gets no headers of providers, which may be credentials.
///
/// Headers of later providers replace those of earlier ones and of the request. A provider that throws fails the
/// request with `RequestBuildingError.Code.metadataFailed`.
open class RequestCreatorNode<Output: Sendable>: AsyncNode<HttpRequest, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<HttpRequest, Output>
    private let providers: [any MetadataProvider]
    private let options: RequestOptions?

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the node that gets the request.
    ///   - providers: the metadata providers, in their order.
    ///   - options: the options of all requests, which replace those that each request has. What they leave at its default
    ///     is that of the request.
    public init(
        next: Node<HttpRequest, Output>, providers: [any MetadataProvider] = [], options: RequestOptions? = nil
    ) {
        self.next = next
        self.providers = providers
        self.options = options
    }

    open override func execute(_ data: HttpRequest) async throws -> Output {
        var request = withOptions(data)
        if !providers.isEmpty, !data.isElsewhere { try await addMetadata(to: &request) }
        try check(request)
        return try await next.execute(request)
    }

    // Dedicated functions, because each request in progress would keep their local variables, 2 KB.

    private func withOptions(_ data: HttpRequest) -> HttpRequest {
        var request = data
        if var options {
            options.add(request.options)
            request.options = options
        }
        #if os(Linux)
        if data.isElsewhere { request.options.unixSocket = data.options.unixSocket }
        #endif
        // The run keeps the admission of a gate whose input type can't carry it.
        request.takeAdmissionsOfRun()
        return request
    }

    private func addMetadata(to request: inout HttpRequest) async throws {
        do {
            for provider in providers { request.headers.set(try await metadata(of: provider, request)) }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw failed(error, request)
        }
    }

    /// Checks the headers, and logs the request.
    private func check(_ request: HttpRequest) throws {
        do { try request.headers.validate() } catch { throw failed(error, request) }
        log(.info, .request, details: request.logDetails, message: request.line)
        if !request.headers.isEmpty || !request.body.isEmpty {
            log(.debug, retainedBytes: request.body.retainedBytes) { [request] redaction in
                request.details(redaction)
            }
        }
    }

    /// A provider's `CancellationError` is a failure unless the request's task is canceled: it doesn't cancel the
    /// request.
    private func metadata(of provider: any MetadataProvider, _ request: HttpRequest) async throws -> [String: String] {
        do {
            return try await provider.metadata()
        } catch let error as CancellationError where !Task.isCancelled {
            throw metadataFailed(error, request)
        }
    }

    /// Returns the error that the request fails with, and logs it.
    private func failed(_ error: any Error, _ request: HttpRequest) -> any Error {
        let error = metadataFailed(error, request)
        log(error)
        return error
    }

    private func metadataFailed(_ error: any Error, _ request: HttpRequest) -> any Error {
        if error is RequestBuildingError { return error }
        let reason = request.options.redaction.text("\(error)")
        return RequestBuildingError(.metadataFailed, "A metadata provider failed: \(reason)", cause: error)
    }
}
