import Logging
public import NodeCore

/// Sends the request and hands the answer, or the error that kept it from coming, to the response processing. Nothing
/// else.
///
/// A request that came through an `AccessSafeNode` is not sent when its session has ended on the way here, since it may
/// have got the next session's token: it fails with `AccessSafeError.Code.signedOut`.
open class RequestSenderNode<Output: Sendable>: Node<HttpRequest, Output>, @unchecked Sendable {  // immutable state
    /// The first node of the response processing.
    public let next: Node<DataResponse, Output>
    private let sender: any RequestSender

    /// Makes the node.
    public init(next: Node<DataResponse, Output>, sender: any RequestSender) {
        self.next = next
        self.sender = sender
    }

    open override func process(_ data: HttpRequest) -> Observer<Output> {
        var data = data
        if let admissions = Run.current?.admissions, !admissions.isEmpty { data.admissions.merge(admissions) }
        if let refusal = data.admissions.refusal { return .emit(error: refusal) }
        log(.debug) { [attempt = data.attempt] in "sent\(attempt > 1 ? ", attempt \(attempt)" : "")" }
        return sender.send(data).then { [self, data] outcome in
            switch outcome {
            case .completed(let response):
                note(response.metrics)
                return next.process(DataResponse(request: data, result: .success(response)))
            case .failed(let error):
                note((error as? TransportError)?.metrics)
                return next.process(DataResponse(request: data, result: .failure(error)))
            case .canceled:
                return Observer(.canceled)
            }
        }
    }

    /// Writes the figures of an attempt to the journal, where somebody keeps one.
    private func note(_ metrics: @autoclosure () -> TransferMetrics?) {
        guard let journal = Journal.current, let metrics = metrics() else { return }
        journal.append(metrics, by: name)
    }
}
