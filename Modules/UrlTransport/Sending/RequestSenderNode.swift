import Logging
public import NodeCore

/// Sends the request, and passes the response or the error to the response processing.
///
/// A request from an `AccessSafeNode` is not sent if its session has ended meanwhile, since it may have the next
/// session's token. It fails with `AccessSafeError.Code.signedOut`.
open class RequestSenderNode<Output: Sendable>: Node<HttpRequest, Output>, @unchecked Sendable {  // immutable state
    /// The first node of the response processing.
    package let next: Node<DataResponse, Output>
    private let sender: any RequestSender

    /// Creates the node.
    public init(next: Node<DataResponse, Output>, sender: any RequestSender) {
        self.next = next
        self.sender = sender
    }

    open override func process(_ data: HttpRequest) -> Observer<Output> {
        var data = data
        if let admissions = Run.current?.admissions, !admissions.isEmpty { data.admissions.merge(admissions) }
        if let refusal = data.admissions.refusal { return .emit(error: refusal) }
        return sender.send(data).then { [self, data] outcome in
            switch outcome {
            case .completed(let response):
                Journal.current?.appendAttempt(
                    of: data, by: name, response.metrics, status: response.statusCode)
                return next.process(DataResponse(request: data, result: .success(response)))
            case .failed(let error):
                Journal.current?.appendAttempt(
                    of: data, by: name, (error as? TransportError)?.metrics, error: error)
                return next.process(DataResponse(request: data, result: .failure(error)))
            case .canceled:
                return Observer(.canceled)
            }
        }
    }
}
