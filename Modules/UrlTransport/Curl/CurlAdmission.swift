#if os(Linux)
import CNetChainCurl
import NodeCore

/// Lets a limited number of transfers to one origin run; the others wait in line.
///
/// It is done here because transfers that wait inside libcurl cost it time on every event.
struct CurlAdmission {
    /// One origin's: how many run, and who waits in which order. Each of them knows its line.
    final class Line {
        fileprivate let origin: Origin
        fileprivate var running = 0
        /// Each knows its place here. nil where one was canceled or has left, so that nothing of it is kept.
        @exclusivity(unchecked) private var slots: [CurlTransfer?] = []
        private var first = 0
        private var canceled = 0

        fileprivate init(_ origin: Origin) {
            self.origin = origin
        }

        fileprivate var isEmpty: Bool {
            running == 0 && first == slots.count
        }

        fileprivate var waiting: [CurlTransfer] { slots[first...].compactMap { $0 } }

        fileprivate func append(_ transfer: CurlTransfer) {
            transfer.place = slots.count
            slots.append(transfer)
        }

        /// - Parameter transfer: one that waits.
        fileprivate func remove(_ transfer: CurlTransfer) {
            slots[transfer.place] = nil
            canceled += 1
            compact()
        }

        /// The first of those that wait.
        fileprivate func takeFirst() -> CurlTransfer? {
            while first < slots.count {
                let next = slots[first].take()
                first += 1
                guard let next else {
                    canceled -= 1
                    continue
                }
                if !next.context.isSettled {
                    compact()
                    return next
                }
                next.line = nil
            }
            compact()
            return nil
        }

        /// Removes empty slots once they are the greater part.
        private func compact() {
            let empty = first + canceled
            guard empty > 0, empty == slots.count || empty > 64 && empty * 2 > slots.count else { return }
            slots = waiting
            for (place, transfer) in slots.enumerated() { transfer?.place = place }
            first = 0
            canceled = 0
        }
    }

    /// So many lines without anybody are kept for later.
    private static let mostEmptyLines = 64

    private let limit: Int
    private var lines: [Origin: Line] = [:]
    /// The one that was used last, which mostly is the next one's too.
    private var last: Line?
    /// No later than the moment at which the first of those in line has waited too long; nil when none ever will.
    private(set) var nextDeadline: Moment?

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the transfer may start now; otherwise it waits.
    mutating func admit(_ transfer: CurlTransfer) -> Bool {
        let line = line(of: transfer.origin)
        transfer.line = line
        guard line.running < limit else {
            line.append(transfer)
            note(transfer.deadline)
            return false
        }
        line.running += 1
        return true
    }

    private mutating func line(of origin: Origin) -> Line {
        if let last, last.origin == origin { return last }
        let line: Line
        if let known = lines[origin] {
            line = known
        } else {
            line = Line(origin)
            lines[origin] = line
        }
        last = line
        return line
    }

    /// A running transfer has ended; gives the one that takes its place.
    mutating func release(_ transfer: CurlTransfer) -> CurlTransfer? {
        guard let line = transfer.line else { return nil }
        transfer.line = nil
        if let next = line.takeFirst() { return next }
        line.running -= 1
        if line.isEmpty, lines.count > Self.mostEmptyLines {
            lines[line.origin] = nil
            if last === line { last = nil }
        }
        return nil
    }

    /// A waiting transfer was cancelled: it leaves the line.
    mutating func forget(_ transfer: CurlTransfer) {
        guard let line = transfer.line else { return }
        transfer.line = nil
        line.remove(transfer)
    }

    /// Takes those out of the lines that have waited too long.
    mutating func takeOverdue() -> [CurlTransfer] {
        guard let deadline = nextDeadline, deadline <= .now else { return [] }
        let now = Moment.now
        nextDeadline = nil
        var overdue: [CurlTransfer] = []
        for line in lines.values {
            for transfer in line.waiting {
                guard let deadline = transfer.deadline else { continue }
                if deadline <= now { overdue.append(transfer) } else { note(deadline) }
            }
        }
        for transfer in overdue { forget(transfer) }
        return overdue
    }

    private mutating func note(_ deadline: Moment?) {
        guard let deadline else { return }
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    /// Empties all lines and gives those that waited.
    mutating func removeAll() -> [CurlTransfer] {
        let waiting = lines.values.flatMap(\.waiting)
        for transfer in waiting { transfer.line = nil }
        lines = [:]
        last = nil
        return waiting
    }
}
#endif
