import Synchronization

/// Something whose listeners are to be called.
protocol Delivery: AnyObject, Sendable {
    func deliver()
}

/// Deliveries that other threads post to the task of a run. The task is parked while there are none.
final class Mailbox: Sendable {
    private enum Stage {
        /// The task has not started.
        case early
        case open
        case closed
    }

    private struct State {
        /// One delivery at a time is usual: it needs no array.
        var first: (any Delivery)?
        var rest: [any Delivery] = []
        var parked: UnsafeContinuation<Void, Never>?
        var stage: Stage

        var isEmpty: Bool { first == nil }
    }

    private let state: Mutex<State>

    /// - Parameter isOpen: whether the task has started.
    init(isOpen: Bool = true) {
        state = Mutex(State(stage: isOpen ? .open : .early))
    }

    /// Records that the task has started. Returns false when another thread has delivered before, without the task.
    func open() -> Bool {
        state.withLock { state in
            guard case .early = state.stage else { return false }
            state.stage = .open
            return true
        }
    }

    /// Posts deliveries to the task and resumes it. Returns false when the run has ended. If the task has not started,
    /// this closes the mailbox: a delivery does not wait for a task that is still queued.
    func post(_ deliveries: some Collection<any Delivery>) -> Bool {
        let (isTaken, parked) = state.taking { state -> (Bool, UnsafeContinuation<Void, Never>?) in
            guard case .open = state.stage else {
                state.stage = .closed
                return (false, nil)
            }
            for delivery in deliveries {
                if state.first == nil { state.first = delivery } else { state.rest.append(delivery) }
            }
            defer { state.parked = nil }
            return (true, state.parked)
        }
        parked?.resume()
        return isTaken
    }

    /// Parks the task until there is a delivery.
    func park() async {
        await withUnsafeContinuation { continuation in
            let isParked = state.withLock { state in
                guard state.isEmpty else { return false }
                state.parked = continuation
                return true
            }
            if !isParked { continuation.resume() }
        }
    }

    /// Makes the deliveries so far. `isLast` closes the mailbox.
    func deliverAll(isLast: Bool = false) {
        let (first, rest) = state.taking { state -> ((any Delivery)?, [any Delivery]) in
            defer {
                state.first = nil
                state.rest = []
                if isLast { state.stage = .closed }
            }
            return (state.first, state.rest)
        }
        first?.deliver()
        for delivery in rest { delivery.deliver() }
    }
}
