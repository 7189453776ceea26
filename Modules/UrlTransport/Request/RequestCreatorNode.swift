import Logging
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Creates the request that is sent: calls the metadata providers right before each sending, and sets the headers that
/// they return.
///
/// A request that middleware has sent to another origin gets no headers of providers, which may be credentials.
///
/// Headers of later providers replace those of earlier ones and of the request. A provider that throws fails the
/// request with ``RequestBuildingError/Code/metadataFailed``.
open class RequestCreatorNode<Output: Sendable>: Node<HttpRequest, Output>,
    @unchecked Sendable
{  // immutable state
    /// The node that gets the request.
    package let next: Node<HttpRequest, Output>
    private let providers: [any MetadataProvider]
    private let options: RequestOptions

    /// Creates the node.
    public init(
        next: Node<HttpRequest, Output>, providers: [any MetadataProvider] = [],
        options: RequestOptions = RequestOptions()
    ) {
        self.next = next
        self.providers = providers
        self.options = options
    }

    open override func process(_ data: HttpRequest) -> Observer<Output> {
        var request = data
        request.options = options
        let isElsewhere = data.isElsewhere
        #if os(Linux)
        if isElsewhere { request.options.unixSocket = data.options.unixSocket }
        #endif
        // The run keeps the admission of a gate whose input type can't carry it.
        if let admissions = Run.current?.admissions, !admissions.isEmpty { request.admissions.merge(admissions) }
        do {
            return try addMetadata(to: request, from: isElsewhere ? [] : providers[...])
        } catch {
            return .emit(error: failed(error))
        }
    }

    /// Calls the providers in their order. Those that return headers without waiting need no task.
    private func addMetadata(
        to request: HttpRequest, from providers: ArraySlice<any MetadataProvider>
    ) throws -> Observer<Output> {
        var request = request
        var rest = providers
        while let provider = rest.popFirst() {
            guard let metadata = try provider.metadataInPlace() else {
                return addMetadataLater(to: request, from: provider, rest: rest)
            }
            request.headers.set(metadata)
        }
        try request.headers.validate()
        log(.info, .request, details: request.logDetails, message: request.line)
        if !request.headers.isEmpty || !request.body.isEmpty {
            log(.debug, retainedBytes: request.body.retainedBytes) { [request] redaction in
                request.details(redaction)
            }
        }
        return next.process(request)
    }

    private func addMetadataLater(
        to request: HttpRequest, from provider: any MetadataProvider, rest: ArraySlice<any MetadataProvider>
    ) -> Observer<Output> {
        Observer(async: { [redaction = options.redaction] in try await Self.metadata(of: provider, redaction) })
            .mapError { self.failed($0) }
            .flatMap { metadata -> Observer<Output> in
                var request = request
                request.headers.set(metadata)
                do {
                    return try self.addMetadata(to: request, from: rest)
                } catch {
                    throw self.failed(error)
                }
            }
    }

    /// Turns a provider's `CancellationError` into a failure unless the request's task is canceled: it doesn't cancel
    /// the request.
    private static func metadata(
        of provider: any MetadataProvider, _ redaction: Redaction
    ) async throws -> [String: String] {
        do {
            return try await provider.metadata()
        } catch let error as CancellationError where !Task.isCancelled {
            throw metadataFailed(error, redaction)
        }
    }

    /// Returns the error that the request fails with, and logs it.
    private func failed(_ error: any Error) -> any Error {
        let error = Self.metadataFailed(error, options.redaction)
        log(error)
        return error
    }

    private static func metadataFailed(_ error: any Error, _ redaction: Redaction) -> any Error {
        if error is RequestBuildingError { return error }
        let reason = redaction.text("\(error)")
        return RequestBuildingError(.metadataFailed, "A metadata provider failed: \(reason)", cause: error)
    }
}
