import NodeCore

/// How long each node of a chain run took.
///
/// The times are those of ``Span`` entries. A writer without one has the time from its first line to its last.
package struct ChainTrace: Sendable {
    /// The time of one node or phase.
    package struct Row: Sendable {
        /// The node's name, or the phase's label.
        package let name: String
        /// The time from the start of the run to the start of this.
        package let offset: Duration
        /// How long it took, with all that it called.
        package let duration: Duration
        /// How long it took without the rows under it.
        package internal(set) var own: Duration
        /// How many rows enclose this one.
        package let depth: Int
        /// `completed`, `failed` or `canceled`, where known.
        package let end: String?
        /// Rows that run concurrently are in different lanes.
        let lane: Int

        var stop: Duration { offset + duration }
    }

    /// The run itself, under the logger's name, then its parts, in the order of starting.
    package let rows: [Row]
    let report: LogReport

    init(_ report: LogReport) {
        self.report = report
        var builder = RowBuilder()
        let whole = Span(
            id: LogReport.loggerId, start: report.start, duration: report.duration, end: report.end.name)
        for span in [whole] + ChainTrace.spans(of: report) {
            builder.add(span, offset: span.start - report.start)
        }
        rows = builder.finished()
    }

    /// The spans of the report, by start, outer ones first.
    private static func spans(of report: LogReport) -> [Span] {
        var spans: [Span] = []
        var firstAndLast: [String: (first: Duration, last: Duration)] = [:]
        for record in report.gathered {
            if let span = record.entry as? Span {
                spans.append(span)
            } else {
                let offset = record.instant - report.start
                firstAndLast[record.entry.id, default: (offset, offset)].last = offset
            }
        }
        let measured = Set(spans.map(\.id))
        for (id, times) in firstAndLast where !measured.contains(id) {
            spans.append(Span(id: id, start: report.start + times.first, duration: times.last - times.first))
        }
        return spans.sorted {
            if $0.start != $1.start { return $0.start < $1.start }
            return $0.duration != $1.duration ? $0.duration > $1.duration : $0.id < $1.id
        }
    }
}

extension LogReport {
    /// How long each node took.
    package var trace: ChainTrace {
        ChainTrace(self)
    }
}

extension Outcome {
    /// The same outcome without the value.
    var withoutValue: Outcome<Void> {
        switch self {
        case .completed: .completed(())
        case .failed(let error): .failed(error)
        case .canceled: .canceled
        }
    }

    /// `completed`, `failed` or `canceled`.
    package var name: String {
        switch self {
        case .completed: "completed"
        case .failed: "failed"
        case .canceled: "canceled"
        }
    }
}

/// Nests each span in the latest one that contains it, and places it beside those that it only overlaps.
private struct RowBuilder {
    private var rows: [ChainTrace.Row] = []
    /// In each lane the rows that may still enclose further rows, outer ones first.
    private var open: [[Int]] = []
    /// What the enclosed rows cover of each row: how much, and up to where.
    private var covered: [(time: Duration, until: Duration)] = []

    mutating func add(_ span: Span, offset: Duration) {
        let stop = offset + span.duration
        for lane in open.indices {
            open[lane].removeAll { rows[$0].stop <= offset && rows[$0].stop < stop }
        }
        let parent = open.joined().filter { rows[$0].stop >= stop }.max()
        let fitting = open.firstIndex { $0.last.map { rows[$0].stop >= stop } ?? true }
        let lane = fitting ?? open.count
        if lane == open.count { open.append([]) }
        open[lane].append(rows.count)
        if let parent {
            let fresh = max(offset, covered[parent].until)
            if stop > fresh { covered[parent] = (covered[parent].time + (stop - fresh), stop) }
        }
        rows.append(
            ChainTrace.Row(
                name: span.label ?? span.id, offset: offset, duration: span.duration, own: span.duration,
                depth: parent.map { rows[$0].depth + 1 } ?? 0, end: span.end, lane: lane))
        covered.append((.zero, .zero))
    }

    func finished() -> [ChainTrace.Row] {
        zip(rows, covered).map { row, covered in
            var row = row
            row.own = row.duration - covered.time
            return row
        }
    }
}
