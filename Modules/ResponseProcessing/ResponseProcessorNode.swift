public import HttpMessages
import Logging
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Checks how the sending ended: a response is passed to the next node, an error fails the chain.
open class ResponseProcessorNode<Output: Sendable>: AsyncNode<DataResponse, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<HttpResponse, Output>

    /// Creates the node.
    public init(next: Node<HttpResponse, Output>) {
        self.next = next
    }

    open override func execute(_ data: DataResponse) async throws -> Output {
        switch data.result {
        case .success(let response):
            log(.info, .response, details: response.logDetails) {
                [status = response.status, body = response.bodyInWords] _ in "status \(status), \(body)"
            }
            if !response.headers.isEmpty || !response.data.isEmpty {
                log(.debug, retainedBytes: response.retainedBytes) { [logged = response.withoutStream] redaction in
                    logged.details(redaction)
                }
            }
            return try await next.execute(response)
        case .failure(let error):
            log(error)
            throw error
        }
    }
}

extension HttpResponse {
    /// The response for the journal, which is open until the stream of the body has ended: if it retained the stream, a
    /// stream without readers would not end.
    fileprivate var withoutStream: HttpResponse {
        guard bytes != nil else { return self }
        var response = self
        response.bytes = nil
        return response
    }

    fileprivate var logDetails: Log.Details {
        var details = request.logDetails
        details.url = url.absoluteString
        details.status = status
        if metrics.total > .zero { details.duration = metrics.total }
        return details
    }

    /// Where the body is and how large; one in a file may have been started by an earlier attempt.
    fileprivate var bodyInWords: String {
        if file != nil { return "\(metrics.bytesReceived) bytes into a file" }
        return bytes == nil ? "\(data.count) bytes" : "a stream"
    }
}
