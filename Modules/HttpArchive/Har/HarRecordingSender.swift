public import NodeCore
public import UrlTransport

/// Records each exchange of another sender: one entry an attempt, whether it was answered, failed or was canceled.
///
/// ```swift
/// let recorder = HarRecorder()
/// let sender = HarRecordingSender(next: try CurlRequestSender(), recorder: recorder)
/// ```
///
/// The sender in front of which it stands tells each exchange with a server, redirects included, with the headers that
/// went out, when it is the libcurl sender; what a wrapper hands on to one counts too. Of another sender's work only the
/// request and its end are known.
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
    public func send(_ request: HttpRequest) -> Observer<HttpResponse> {
        let start = TransferHop.Start()
        let hops = HopLog(outer: request.options.hops)
        var watched = request
        watched.options.hops = hops
        let answer = next.send(watched)
        answer.source.onSettled { [recorder] outcome in
            for exchange in HarExchange.exchanges(of: request, outcome, start: start, hops: hops.close()) {
                recorder.record(exchange)
            }
        }
        return answer
    }
}
