public import HttpMessages
import Logging
public import NodeCore

/// Fails the chain with an ``HttpError`` when the status means failure: by default every one outside 200…299.
open class ResponseHttpErrorProcessorNode<Output: Sendable>: AsyncNode<HttpResponse, Output>,
    @unchecked Sendable
{  // immutable state
    /// The node that gets responses that are no failure.
    package let next: Node<HttpResponse, Output>
    private let accepted: AcceptedStatuses

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the node that gets responses that are no failure.
    ///   - accepted: which statuses are no failure.
    public init(next: Node<HttpResponse, Output>, accepted: AcceptedStatuses = .successful) {
        self.next = next
        self.accepted = accepted
    }

    open override func execute(_ data: HttpResponse) async throws -> Output {
        guard accepted.accepts(data.status) else {
            // A sender whose request doesn't name the accepted statuses may have opened a stream. An error that is kept would
            // keep it open, with its connection and its place in a limit.
            var rejected = data
            rejected.bytes?.buffer.abandon()
            rejected.bytes = nil
            let error = HttpError(rejected)
            log(error)
            throw error
        }
        log(.debug) { [status = data.status] in "status \(status) is no failure" }
        return try await next.execute(data)
    }
}
