import Logging
import Models
public import NodeCore
public import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Looks at how the sending ended: an answer goes on to the next node, an error ends the chain. (As in CoreNetKit.)
open class ResponseProcessorNode<Output: Sendable>: Node<DataResponse, Output>, @unchecked Sendable {  // let only
    /// The node that gets the answer.
    public let next: Node<UrlDataResponse, Output>

    /// Makes the node.
    public init(next: Node<UrlDataResponse, Output>) {
        self.next = next
    }

    @_specialize(where Output == Json)  // the default chain's: no look-ups of generic types with each request
    open override func process(_ data: DataResponse) -> Observer<Output> {
        switch data.result {
        case .success(let response):
            log { "status \(response.statusCode), \(response.data.count) bytes" }
            if !response.headers.isEmpty || !response.data.isEmpty {
                log(.debug) { redaction in response.details(redaction) }
            }
            return next.process(response)
        case .failure(let error):
            log(.error) { "\(error)" }
            return .emit(error: error)
        }
    }
}
