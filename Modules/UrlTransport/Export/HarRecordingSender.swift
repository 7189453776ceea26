public import NodeCore

/// Records each exchange of another sender: one entry an attempt, whether it was answered, failed or was canceled.
///
/// ```swift
/// let recorder = HarRecorder()
/// let sender = HarRecordingSender(next: try CurlRequestSender(), recorder: recorder)
/// ```
///
/// The answer is not delayed: what is recorded becomes text when the file is written.
public struct HarRecordingSender: RequestSender {
    private let next: any RequestSender
    private let recorder: HarRecorder

    /// Records what `next` sends and receives.
    public init(next: any RequestSender, recorder: HarRecorder) {
        self.next = next
        self.recorder = recorder
    }

    /// Sends the request through the other sender.
    public func send(_ request: RawUrlRequest) -> Observer<UrlDataResponse> {
        let start = HarExchange.Start()
        let answer = next.send(request)
        answer.source.onSettled { [recorder] outcome in
            recorder.record(HarExchange(request: request, outcome: outcome, start: start))
        }
        return answer
    }
}
