import HttpMessages
import NodeCore
import Synchronization

/// The requests in progress whose responses others wait for: of concurrent misses for one key, one is sent (RFC 9111 §4,
/// "collapsed requests"). May be used from any thread.
final class Flights: Sendable {
    private struct State {
        /// The requests that wait. They get whether the flight has a response or an error, and wasn't canceled.
        var waiters: [HttpCacheKey: [Context<Bool>]] = [:]
        /// How many flights have ended.
        var ended = 0
    }

    private let state = Mutex(State())

    /// How many flights have ended: what was read from the store before may be older than what they have stored.
    var ended: Int { state.withLock { $0.ended } }

    /// Begins a flight; false if one is in progress.
    func begin(_ key: HttpCacheKey) -> Bool {
        state.withLock { state in
            guard let waiters = state.waiters.updateValue([], forKey: key) else { return true }
            state.waiters[key] = waiters
            return false
        }
    }

    /// Ends a flight, and resumes all that wait for it. They check the store again. If it was canceled, one of them takes
    /// its place; otherwise those that find nothing are sent, all at once.
    func end(_ key: HttpCacheKey, isCanceled: Bool = false) {
        let waiters = state.taking { state in
            state.ended += 1
            return state.waiters.removeValue(forKey: key)
        }
        for waiter in waiters ?? [] { waiter.emit(data: !isCanceled) }
    }

    /// Waits for the end of the flight in progress, at most the timeout of the request, from which the time is subtracted.
    /// Returns false if it was canceled, or there is none any more.
    ///
    /// - Throws: `CancellationError` if the task is canceled: the flight and the others continue. `TransportError` with
    ///   `requestTimedOut`.
    func wait(_ key: HttpCacheKey, _ request: inout HttpRequest, clock: any ChainClock) async throws -> Bool {
        let waiter = Context<Bool>()
        let isWaiting = state.withLock { state in
            guard state.waiters[key] != nil else { return false }
            state.waiters[key]?.append(waiter)
            return true
        }
        guard isWaiting else { return false }
        let (start, sent) = (clock.now, request)
        let timer = request.options.timeout.map { timeout in
            clock.wait(for: timeout).onCompleted {
                waiter.emit(error: sent.timedOut(after: timeout))
            }
        }
        defer { timer?.cancel() }
        request.wait?.name = "the same request in progress"
        defer { request.wait?.name = nil }
        let hasEnded = try await waiter.observer.value
        request.spend(clock.now - start)
        return hasEnded
    }
}

extension HttpRequest {
    /// Subtracts time that has passed from the timeout.
    mutating func spend(_ time: Duration) {
        guard let timeout = options.timeout else { return }
        // The sender reports the timeout.
        options.timeout = max(timeout - time, .milliseconds(1))
        options.spentTime += time
    }

    fileprivate func timedOut(after timeout: Duration) -> TransportError {
        TransportError(
            .requestTimedOut, of: self,
            reason:
                "it was not sent within \(timeout + options.spentTime), and was waiting for the same request in progress",
            wasProcessed: .no)
    }
}
