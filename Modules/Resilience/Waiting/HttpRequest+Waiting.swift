import HttpMessages
import Logging
import NodeCore

extension HttpRequest {
    /// Waits until a limit admits the request, no longer than its timeout. What it has waited is subtracted from the
    /// timeout.
    ///
    /// - Parameters:
    ///   - limit: the name of the limit, for errors and the log.
    ///   - admitted: completes when the limit admits the request.
    ///   - clock: the source of time.
    /// - Throws: `TransportError` with `requestTimedOut`, `CancellationError`.
    mutating func wait(for limit: String, until admitted: Context<Void>, clock: any ChainClock) async throws {
        let start = clock.now
        wait?.name = limit
        defer { wait?.name = nil }
        let timer = options.timeout.map { timeout in
            clock.wait(for: timeout).onCompleted { [self] in
                admitted.emit(error: timedOut(after: timeout, waitingFor: limit))
            }
        }
        defer { timer?.cancel() }
        try await admitted.observer.value
        let waited = start.duration(to: clock.now)
        // The sender reports the timeout.
        if let timeout = options.timeout {
            options.timeout = max(timeout - waited, .milliseconds(1))
            options.spentTime += waited
        }
        logWait(for: limit, waited)
    }

    private func timedOut(after timeout: Duration, waitingFor limit: String) -> TransportError {
        TransportError(
            .requestTimedOut, of: self,
            reason: "it was not sent within \(timeout + options.spentTime), and was waiting for \(limit)",
            wasProcessed: .no)
    }

    private func logWait(for limit: String, _ time: Duration) {
        guard let journal = Journal.current else { return }
        var details = logDetails
        details.duration = time
        journal.append(
            Log(id: "LimitingSender", level: .debug, details: details) { "waited \(time) for \(limit)" })
    }
}
