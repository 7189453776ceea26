import HttpMessages
import NodeCore
import Synchronization

/// The requests in progress whose responses others wait for: of concurrent misses for one key, one is sent (RFC 9111 §4,
/// "collapsed requests"). May be used from any thread.
final class Flights: Sendable {
    enum End: Sendable {
        /// The response is stored, or may be: the others check the store again.
        case stored
        /// The request was canceled: another one takes its place.
        case canceled
        /// There is nothing to share: the others are sent, all at once.
        case unshared
    }

    private final class Waiter: Sendable {
        let context = Context<End>()
    }

    private struct State {
        var waiters: [HttpCacheKey: [Waiter]] = [:]
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

    /// Ends a flight, and resumes all that wait for it.
    func end(_ key: HttpCacheKey, _ end: End) {
        let waiters = state.taking { state in
            state.ended += 1
            return state.waiters.removeValue(forKey: key)
        }
        for waiter in waiters ?? [] { waiter.context.emit(data: end) }
    }

    /// Waits for the end of the flight in progress, at most the timeout of the request, from which the time is subtracted.
    /// Returns nil if there is none any more.
    ///
    /// - Throws: `CancellationError` if the task is canceled: the flight and the others continue. `TransportError` with
    ///   `requestTimedOut`.
    func wait(_ key: HttpCacheKey, _ request: inout HttpRequest, clock: any ChainClock) async throws -> End? {
        let waiter = Waiter()
        let isWaiting = state.withLock { state in
            guard state.waiters[key] != nil else { return false }
            state.waiters[key]?.append(waiter)
            return true
        }
        guard isWaiting else { return nil }
        let (start, sent) = (clock.now, request)
        let timer = request.options.timeout.map { timeout in
            clock.wait(for: timeout).onCompleted {
                waiter.context.emit(error: sent.timedOut(after: timeout))
            }
        }
        defer { timer?.cancel() }
        request.wait?.name = "the same request in progress"
        defer { request.wait?.name = nil }
        let end = try await waiter.context.observer.value
        request.spend(clock.now - start)
        return end
    }
}

extension HttpRequest {
    /// Subtracts time that has passed from the timeout.
    mutating func spend(_ time: Duration) {
        guard let timeout = options.timeout else { return }
        // A sender takes no time for "no time limit".
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
