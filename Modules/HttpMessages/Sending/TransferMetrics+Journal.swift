import Logging
import NodeCore

extension Journal {
    /// Logs a sending that has just ended. A cache logs those whose response it replaces by a stored one.
    package func appendAttempt(of request: HttpRequest, by id: String, _ outcome: Outcome<HttpResponse>) {
        switch outcome {
        case .completed(let response) where response.isOfCacheOnly: break
        // The sender may have sent the request more than once.
        case .completed(let response):
            var request = request
            request.attempt = max(request.attempt, response.request.attempt)
            appendAttempt(of: request, by: id, response.metrics, status: response.status)
        case .failed(let error as TransportError):
            var request = request
            request.attempt = max(request.attempt, error.attempt)
            appendAttempt(of: request, by: id, error.metrics, error: error)
        case .failed(let error): appendAttempt(of: request, by: id, nil, error: error)
        case .canceled: appendAttempt(of: request, by: id, nil, error: CancellationError())
        }
    }

    /// Logs a sending when the stream of its response has ended, and extends the run until then.
    ///
    /// A task logs it, with the task-local values and the priority of the run. The reader gets the end after that.
    package func appendAttempt(of request: HttpRequest, by id: String, streamOf response: HttpResponse) {
        guard let buffer = response.bytes?.buffer else { return }
        let (head, status, start) = (response.metrics, response.status, ContinuousClock.now)
        let isSent = !response.isOfCacheOnly
        var request = request
        request.attempt = max(request.attempt, response.request.attempt)
        let ended = Context<RunExtension.End?>()
        runExtension = RunExtension(
            onEnd: { [end = ended.observer] listener in end.onCompleted(listener) },
            isDropped: { buffer.isAbandoned })
        buffer.hold()
        Task { [request] in
            let end = await withCheckedContinuation { end in buffer.onEnd { end.resume(returning: $0) } }
            let metrics = end.metrics(after: head, at: start)
            let error: (any Error)? = end.outcome.isCanceled ? CancellationError() : end.outcome.error
            if isSent { appendAttempt(of: request, by: id, metrics, status: status, error: error) }
            let outcome =
                if let error = end.outcome.error { Outcome<Void>.failed(TechnicalError.mapping(error)) } else {
                    end.outcome
                }
            // A node may have dropped the stream so recently that `isAbandoned` was still false.
            let isDropped = outcome.isCanceled && !end.wasRead
            ended.emit(data: isDropped ? nil : .init(outcome: outcome, bytes: metrics.bytesReceived, value: metrics))
            buffer.release()
        }
    }

    package func appendAttempt(
        of request: HttpRequest, by id: String, _ metrics: TransferMetrics?, status: Int? = nil,
        error: (any Error)? = nil
    ) {
        var details = request.logDetails
        details.status = status
        details.error = error
        if let total = metrics?.total, total > .zero { details.duration = total }
        details.value = metrics
        append(
            Log(id: id, level: .debug, kind: .attempt, details: details) { [attempt = request.attempt] in
                (attempt > 1 ? "attempt \(attempt): " : "")
                    + (metrics?.text ?? (error is CancellationError ? "canceled" : "no metrics were measured"))
            })
    }
}
