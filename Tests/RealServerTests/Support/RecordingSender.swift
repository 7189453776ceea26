import NetChainKit

/// Sends with libcurl, and keeps the answers: what a chain makes of them doesn't show all that came.
struct RecordingSender: RequestSender {
    private let sender: CurlRequestSender
    private let recorder = Recorder<HttpResponse>()

    init() throws {
        sender = try CurlRequestSender(configuration: .loopback())
    }

    var responses: [HttpResponse] {
        recorder.values
    }

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        let response: HttpResponse = try await sender.send(request)
        recorder.append(response)
        return response
    }
}
