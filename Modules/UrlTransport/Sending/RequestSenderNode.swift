import HttpMessages
public import NodeCore

/// Sends the request, and passes the response or the error to the response processing.
///
/// A request from an `AccessSafeNode` is not sent if its session has ended meanwhile. A new session may have begun, and
/// the request may carry that session's token. It fails with `AccessSafeError.Code.signedOut`.
open class RequestSenderNode<Output: Sendable>: AsyncNode<HttpRequest, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<DataResponse, Output>
    private let sender: any RequestSender

    /// Creates the node.
    public init(next: Node<DataResponse, Output>, sender: any RequestSender) {
        self.next = next
        self.sender = sender
    }

    open override func execute(_ data: HttpRequest) async throws -> Output {
        var data = data
        data.takeAdmissionsOfRun()
        if let refusal = data.admissions.refusal { throw refusal }
        try Task.checkCancellation()
        let outcome = await Outcome.of { try await sender.send(data) }
        if let journal = Journal.current { record(outcome, of: data, in: journal) }
        switch outcome {
        case .completed(let response):
            // A request that middleware sent elsewhere had no token of the chain. One that was processed before a redirect
            // must not be sent again.
            let isOfReceiver = response.isOfReceiver && response.allowsOtherCredentials && !data.isElsewhere
            for admission in data.admissions { admission.record(responseOfReceiver: isOfReceiver) }
            return try await next.execute(DataResponse(request: data, result: .success(response)))
        case .failed(let error):
            return try await next.execute(DataResponse(request: data, result: .failure(error)))
        case .canceled: throw CancellationError()
        }
    }

    private func record(_ outcome: Outcome<HttpResponse>, of request: HttpRequest, in journal: Journal) {
        if case .completed(let response) = outcome, response.bytes != nil {
            journal.appendAttempt(of: request, by: name, streamOf: response)
        } else {
            journal.runExtension = nil
            journal.appendAttempt(of: request, by: name, outcome)
        }
    }
}
