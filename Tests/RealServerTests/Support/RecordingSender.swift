import NetChainKit

/// Sends with libcurl, and keeps the answers: what a chain makes of them doesn't show all that came.
struct RecordingSender: RequestSender {
    private let sender: CurlRequestSender
    private let recorder = Recorder<UrlDataResponse>()

    init() throws {
        sender = try CurlRequestSender(configuration: .loopback())
    }

    var responses: [UrlDataResponse] {
        recorder.values
    }

    func send(_ request: RawUrlRequest) -> Observer<UrlDataResponse> {
        sender.send(request).onCompleted { recorder.append($0) }
    }
}
