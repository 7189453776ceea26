import Synchronization

/// Something whose listeners are to be called.
protocol Delivery: AnyObject, Sendable {
    func deliver()
}

/// Deliveries that other threads leave for the task of a run. The task is parked while there are none.
final class Mailbox: Sendable {
    private struct State {
        /// One delivery at a time is usual: it needs no array.
        var first: (any Delivery)?
        var rest: [any Delivery] = []
        var parked: UnsafeContinuation<Void, Never>?
        var isWoken = false
        var isClosed = false

        var isEmpty: Bool { first == nil }
    }

    private let state = Mutex(State())

    /// Leaves `delivery` for the task and resumes it. Returns false, and does nothing, when the run has ended.
    func post(_ delivery: any Delivery) -> Bool {
        let (isTaken, parked) = state.withLock { state -> (Bool, UnsafeContinuation<Void, Never>?) in
            guard !state.isClosed else { return (false, nil) }
            if state.first == nil { state.first = delivery } else { state.rest.append(delivery) }
            defer { state.parked = nil }
            return (true, state.parked)
        }
        parked?.resume()
        return isTaken
    }

    /// Resumes the task without a delivery.
    func wake() {
        let parked = state.withLock { state in
            state.isWoken = true
            defer { state.parked = nil }
            return state.parked
        }
        parked?.resume()
    }

    /// Parks the task until there is a delivery, or it is woken.
    func park() async {
        await withUnsafeContinuation { continuation in
            let isParked = state.withLock { state in
                guard state.isEmpty, !state.isWoken else { return false }
                state.parked = continuation
                return true
            }
            if !isParked { continuation.resume() }
        }
    }

    /// Makes what has been left so far. `isLast` closes the mailbox.
    func deliverAll(isLast: Bool = false) {
        let (first, rest) = state.withLock { state -> ((any Delivery)?, [any Delivery]) in
            defer {
                state.first = nil
                state.rest = []
                state.isWoken = false
                if isLast { state.isClosed = true }
            }
            return (state.first, state.rest)
        }
        first?.deliver()
        for delivery in rest { delivery.deliver() }
    }
}
