#if os(Linux)
import HttpMessages

/// Limits the transfers to one origin that run at a time. The others wait in a queue, first in, first out. After a
/// redirect, a transfer still counts at its first origin.
///
/// Waiting inside libcurl would cost time with every event.
struct OriginQueues {
    /// One origin's running and waiting transfers. Each of these knows its queue.
    final class Queue {
        fileprivate let origin: Origin
        @exclusivity(unchecked) fileprivate var running = 0
        /// The queued transfers, numbered in the order of their arrival. Each knows its number.
        @exclusivity(unchecked) fileprivate private(set) var queued: [Int: CurlTransfer] = [:]
        private var firstNumber = 0
        private var nextNumber = 0

        fileprivate init(_ origin: Origin) {
            self.origin = origin
        }

        fileprivate var isEmpty: Bool { running == 0 && queued.isEmpty }

        fileprivate func append(_ transfer: CurlTransfer) {
            transfer.slot.number = nextNumber
            queued[nextNumber] = transfer
            nextNumber += 1
        }

        /// Removes a transfer if it is queued. Returns whether it was.
        fileprivate func remove(_ transfer: CurlTransfer) -> Bool {
            guard queued[transfer.slot.number] === transfer else { return false }
            queued[transfer.slot.number] = nil
            return true
        }

        /// Removes the first transfer, unless `isAdmitted` returns false for it and the number of those that wait.
        fileprivate func removeFirst(if isAdmitted: (CurlTransfer, Int) -> Bool) -> CurlTransfer? {
            while firstNumber < nextNumber, queued[firstNumber] == nil { firstNumber += 1 }
            guard let transfer = queued[firstNumber], isAdmitted(transfer, queued.count) else { return nil }
            queued[firstNumber] = nil
            return transfer
        }
    }

    /// The most empty queues that are kept for reuse.
    private static let mostEmptyQueues = 64

    private let limit: Int
    private let handles: MultiHandles
    private var queues: [Origin: Queue] = [:]

    init(limit: Int, _ handles: MultiHandles) {
        self.limit = limit
        self.handles = handles
    }

    /// Returns whether the transfer may start. Otherwise it is queued.
    mutating func admit(_ transfer: CurlTransfer) -> Bool {
        let queue = queue(of: transfer.plan.origin)
        transfer.slot.queue = queue
        handles.updateHttpVersion(of: &transfer.plan)
        guard queue.running < limit, queue.queued.isEmpty, mayStart(transfer, waiting: 1) else {
            queue.append(transfer)
            return false
        }
        queue.running += 1
        return true
    }

    private mutating func queue(of origin: Origin) -> Queue {
        if let queue = queues[origin] { return queue }
        let queue = Queue(origin)
        queues[origin] = queue
        return queue
    }

    /// Removes a transfer. Returns the queued one that may start instead.
    mutating func release(_ transfer: CurlTransfer) -> CurlTransfer? {
        guard let queue = transfer.slot.queue.take() else { return nil }
        defer { if queue.isEmpty, queues.count > Self.mostEmptyQueues { queues[queue.origin] = nil } }
        if queue.remove(transfer) { return nil }
        queue.running -= 1
        return next(of: queue)
    }

    /// Removes and returns a queued transfer that may start.
    func next(of origin: Origin) -> CurlTransfer? {
        queues[origin].flatMap { next(of: $0) }
    }

    private func next(of queue: Queue) -> CurlTransfer? {
        let free = limit - queue.running
        guard free > 0,
            let next = queue.removeFirst(if: { transfer, waiting in
                handles.updateHttpVersion(of: &transfer.plan)
                return mayStart(transfer, waiting: min(waiting, free))
            })
        else { return nil }
        queue.running += 1
        return next
    }

    /// Returns whether a transfer may start, as one of so many that wait.
    private func mayStart(_ transfer: CurlTransfer, waiting: Int) -> Bool {
        !transfer.plan.sharesConnections || handles.admit(transfer.plan.origin, waiting: waiting)
    }

    /// How many requests may start together: this one, and the queued ones that get a slot.
    func waiting(with transfer: CurlTransfer) -> Int {
        guard let queue = transfer.slot.queue, queue.origin == transfer.plan.origin else { return 1 }
        return 1 + min(queue.queued.count, limit - queue.running)
    }
}
#endif
