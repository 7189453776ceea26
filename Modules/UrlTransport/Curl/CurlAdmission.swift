#if os(Linux)
import CNetChainCurl
import NodeCore

/// Lets a limited number of transfers to one origin run; the others wait in line.
///
/// It is done here because transfers that wait inside libcurl cost it time on every event.
struct CurlAdmission {
    private struct Line {
        var running = 0
        var waiting: [CurlTransfer] = []
        var first = 0
    }

    private let limit: Int
    private var lines: [Origin: Line] = [:]
    /// No later than the moment at which the first of those in line has waited too long; nil when none ever will.
    private(set) var nextDeadline: ContinuousClock.Instant?

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether the transfer may start now; otherwise it waits.
    mutating func admit(_ transfer: CurlTransfer) -> Bool {
        guard let index = lines.index(forKey: transfer.origin) else {
            lines[transfer.origin] = Line(running: 1)
            return true
        }
        guard lines.values[index].running < limit else {
            lines.values[index].waiting.append(transfer)
            note(transfer.deadline)
            return false
        }
        lines.values[index].running += 1
        return true
    }

    /// A running transfer has ended; gives the one that takes its place.
    mutating func release(_ transfer: CurlTransfer) -> CurlTransfer? {
        guard let index = lines.index(forKey: transfer.origin) else { return nil }
        if lines.values[index].waiting.isEmpty {
            lines.values[index].running -= 1
            if lines.values[index].running == 0 { lines.remove(at: index) }
            return nil
        }
        guard var line = lines.removeValue(forKey: transfer.origin) else { return nil }
        while line.first < line.waiting.count {
            let next = line.waiting[line.first]
            line.first += 1
            if line.first > 64, line.first * 2 > line.waiting.count {
                line.waiting.removeFirst(line.first)
                line.first = 0
            }
            if !next.context.isSettled {
                lines[transfer.origin] = line
                return next
            }
        }
        line.running -= 1
        line.waiting = []
        line.first = 0
        if line.running > 0 { lines[transfer.origin] = line }
        return nil
    }

    /// A waiting transfer was cancelled: it leaves the line.
    mutating func forget(_ transfer: CurlTransfer) {
        guard var line = lines.removeValue(forKey: transfer.origin) else { return }
        if let index = line.waiting[line.first...].firstIndex(where: { $0 === transfer }) {
            line.waiting.remove(at: index)
        }
        lines[transfer.origin] = line
    }

    /// Takes those out of the lines that have waited too long.
    mutating func takeOverdue() -> [CurlTransfer] {
        guard let deadline = nextDeadline, deadline <= .now else { return [] }
        let now = ContinuousClock.now
        nextDeadline = nil
        var overdue: [CurlTransfer] = []
        for (origin, line) in lines where line.first < line.waiting.count {
            var kept = Line(running: line.running)
            for transfer in line.waiting[line.first...] {
                if let deadline = transfer.deadline, deadline <= now {
                    overdue.append(transfer)
                } else {
                    kept.waiting.append(transfer)
                    note(transfer.deadline)
                }
            }
            lines[origin] = kept
        }
        return overdue
    }

    private mutating func note(_ deadline: ContinuousClock.Instant?) {
        guard let deadline else { return }
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    /// Empties all lines and gives those that waited.
    mutating func removeAll() -> [CurlTransfer] {
        defer { lines = [:] }
        return lines.values.flatMap { $0.waiting[$0.first...] }
    }
}

/// Cookies that the handles of one loop share. Only the loop's thread uses it, so it needs no locks.
final class CurlShareHandle {
    let raw: UnsafeMutableRawPointer

    init?() {
        guard let raw = curl_share_init() else { return nil }
        self.raw = raw
        netchain_share_cookies(raw)
    }

    deinit {
        curl_share_cleanup(raw)
    }
}
#endif
