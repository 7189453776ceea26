import NodeCore
import UrlTransport

/// Requests that are made as one: all of them belong to the session in which the series began, and the deadline is for
/// all of them together.
struct RequestSeries: Sendable {
    let request: ApiRequest
    private let run = Run.ofRequestMadeNow()
    private let clock: any ChainClock
    private let start: ContinuousClock.Instant
    private let deadline: Duration?

    fileprivate init(_ request: ApiRequest) {
        let settings = request.settings
        let start = settings.clock.now
        (clock, self.start, deadline) = (settings.clock, start, settings.deadline)
        self.request = deadline == nil ? request : request.setting { $0.deadlineStart = start }
    }

    /// Waits, but not longer than the deadline allows: after it the next request fails, with the error that names the
    /// request.
    func wait(for delay: Duration) async throws {
        var delay = delay
        if let deadline { delay = min(delay, deadline - start.duration(to: clock.now)) }
        if delay > .zero { try await clock.wait(for: delay).value }
        try Task.checkCancellation()
    }

    /// Executes the chain of one of the requests.
    func run<Value>(_ chain: Node<Void, Value>) async throws -> Value {
        try await Run.$current.withValue(run) { try await chain.execute(()) }
    }
}

extension ApiRequest {
    /// Begins a series.
    func series() -> RequestSeries { RequestSeries(self) }

    /// The request for a body that is read as a stream of values.
    ///
    /// - Parameter mediaType: what is accepted, unless the request or its client says something else.
    func forValues(accepting mediaType: String) -> ApiRequest {
        setting {
            $0.isForValues = true
            if $0.headers["Accept"] == nil { $0.headers["Accept"] = mediaType }
        }
    }
}
