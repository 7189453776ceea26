public import HttpMessages
import Logging
import NodeCore

extension HarRecorder {
    /// A sender that records each exchange of `sender`, whether it completed, failed or was canceled.
    ///
    /// ```swift
    /// let recorder = HarRecorder()
    /// let sender = recorder.recording(try CurlRequestSender())
    /// ```
    ///
    /// The libcurl sender reports each exchange with a server, redirects included, with the headers that it sent. This
    /// also holds for a sender that wraps it. For any other sender only the request and its outcome are recorded, one
    /// entry for each attempt. Recording doesn't delay the response: the text is created when the file is written.
    public func recording(_ sender: any RequestSender) -> any RequestSender {
        HarRecordingSender(next: sender, recorder: self)
    }
}

/// Records each exchange of another sender.
package struct HarRecordingSender: TraitDeclaring {
    private let next: any RequestSender
    private let recorder: HarRecorder
    package let traits: SenderTraits

    /// Creates a sender that records what `next` sends and receives.
    package init(next: any RequestSender, recorder: HarRecorder) {
        self.next = next
        self.recorder = recorder
        traits = SenderTraits(of: next)
    }

    package func send(_ request: HttpRequest) async throws -> HttpResponse {
        var request = request
        let secrets = traits.declaredSecrets
        if !secrets.isEmpty {
            request.options.redaction = request.options.redaction.adding(headers: secrets.sorted())
        }
        let start = TransferHop.Start()
        let hopLog = HopLog(outer: request.options.hopLog)
        var watched = request
        watched.options.hopLog = hopLog
        let outcome = await Outcome.of { try await next.send(watched) }
        guard case .completed(var response) = outcome, let buffer = response.bytes?.buffer else {
            recorder.record(HarExchange.exchanges(of: request, outcome, start: start, hops: hopLog.close()))
            return try outcome.get()
        }
        // Retaining the stream would retain the transfer.
        response.bytes = nil
        buffer.onEnd { [recorder, request, response, head = ContinuousClock.now] end in
            var whole = response
            whole.metrics = end.metrics(after: response.metrics, at: head)
            recorder.record(
                HarExchange.exchanges(of: request, .completed(whole), stream: end, start: start, hops: hopLog.close()))
        }
        return try outcome.get()
    }

    package func shutdown(drain time: Duration) async {
        await next.shutdown(drain: time)
    }

    package func close() {
        next.close()
    }
}
