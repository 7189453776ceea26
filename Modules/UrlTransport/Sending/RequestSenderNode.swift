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
        let response = sender.send(data)
        if let journal = Journal.current {
            // A canceled run calls no further step.
            response.source.onSettled { [name, data] outcome in
                if case .completed(let response) = outcome, response.bytes != nil {
                    journal.appendAttempt(of: data, by: name, streamOf: response)
                } else {
                    journal.runExtension = nil
                    journal.appendAttempt(of: data, by: name, outcome)
                }
            }
        }
        return response.then { [self, data] outcome in
            switch outcome {
            case .completed(let response): process(response, of: data)
            case .failed(let error): next.process(DataResponse(request: data, result: .failure(error)))
            case .canceled: Observer(.canceled)
            }
        }
    }

    private func process(_ response: HttpResponse, of request: HttpRequest) -> Observer<Output> {
        // A request that middleware sent elsewhere had no token of the chain.
        let isOfReceiver = response.isOfReceiver && !request.isElsewhere
        for admission in request.admissions { admission.record(responseOfReceiver: isOfReceiver) }
        return next.process(DataResponse(request: request, result: .success(response)))
    }
}
