import NodeCore
import UrlTransport

/// What makes several requests one: all of them belong to the session in which the series began, and the deadline is for
/// all of them together.
struct RequestSeries: Sendable {
    private let run = Run.ofNewRequest()
    private let clock: any ChainClock
    private let start: ContinuousClock.Instant
    private let deadline: Duration?

    /// Begins a series.
    init(of request: ApiRequest) {
        (clock, deadline) = (request.settings.clock, request.settings.deadline)
        start = clock.now
    }

    /// The request as one of the series.
    func adding(_ request: ApiRequest) -> ApiRequest {
        guard let deadline = request.settings.deadline ?? deadline else { return request }
        return request.setting {
            $0.deadline = deadline
            $0.deadlineStart = start
        }
    }

    /// Executes `body`, which sends a request, in the session of the series.
    func run<Value>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await Run.$current.withValue(run) { try await body() }
    }

    /// Waits, but not longer than the deadline allows: after it the next request fails, with the error that names the
    /// request.
    func wait(for delay: Duration) async throws {
        var delay = delay
        if let deadline { delay = min(delay, deadline - start.duration(to: clock.now)) }
        if delay > .zero { try await clock.wait(for: delay).value }
        try Task.checkCancellation()
    }
}
