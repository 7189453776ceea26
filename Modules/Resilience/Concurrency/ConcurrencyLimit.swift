import HttpMessages
import NodeCore
import Synchronization

/// Limits how many requests are in progress at once; also called a bulkhead.
///
/// ```swift
/// let limited = api.concurrencyLimit(32, waiting: 1_000)
/// let shared = ConcurrencyLimit(8)  // for several clients
/// ```
///
/// - It belongs to all clients and requests with the setting, and to their copies. Each attempt counts.
/// - A slot is held until the response has arrived. That of a stream is held until the stream has ended or is released.
/// - Requests get a slot by the priority of their tasks, and in the order of arrival within one. The priority counts that
///   a task has when it begins to wait.
/// - A request that waits is a suspended task. Canceling it removes it from the queue at once. The wait counts for the
///   request's `timeout` and `deadline`, whose errors name the limit.
///
/// It may be used from any thread.
public final class ConcurrencyLimit: Sendable {
    private let state: Mutex<ConcurrencyGate<Context<Void>>>
    private let slots: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - slots: how many requests may be in progress; at least 1.
    ///   - waiting: how many more may wait. One more fails at once with ``LimitError``.
    public init(_ slots: Int, waiting: Int = .max) {
        self.slots = max(1, slots)
        state = Mutex(ConcurrencyGate(slots: slots, capacity: waiting))
    }

    /// How many requests hold a slot now.
    public var inProgress: Int { state.withLock { $0.used } }

    /// How many requests wait now.
    public var waiting: Int { state.withLock { $0.waiting } }

    private var name: String { "the concurrency limit of \(slots)" }

    /// Takes a slot if one is free. Allocates nothing.
    func enterAtOnce() -> Bool {
        state.withLock { $0.enterAtOnce() }
    }

    /// Waits for a slot, which the request has after it returns.
    func enter(_ request: inout HttpRequest, clock: any ChainClock) async throws {
        let waiter = Context<Void>()
        let priority = Task.currentPriority
        switch state.withLock({ $0.arrive(waiter, priority: priority) }) {
        case .enter: return
        case .full(let waiting): throw LimitError(.queueFull, of: request, limit: name, waiting: waiting)
        case .wait(let id):
            waiter.onCancel { [self] in cancel(id) }
            do {
                try await request.wait(for: name, until: waiter, clock: clock)
            } catch {
                cancel(id)
                throw error
            }
        }
    }

    private func cancel(_ id: Int) {
        state.taking { $0.cancel(id) }
    }

    /// Frees a slot.
    func leave() {
        while let next = state.taking({ $0.leave() }) {
            if next.emit() { return }
            // It was canceled after it had left the queue. The slot is for the next one.
        }
    }
}
