import NodeCore
import Synchronization

/// Passes the events of one run to the handler of a sink, and completes what an event doesn't know.
final class RunEvents: Sendable {
    private static let runs = Atomic(0)

    /// The number of the run in this process, from 1 on.
    private let run = RunEvents.runs.add(1, ordering: .relaxed).newValue
    private let request = Mutex(LastRequest())
    private let filter: LogFilter
    private let redaction: Redaction
    private let handler: @Sendable (Log) -> Void

    init(_ filter: LogFilter, _ redaction: Redaction, _ handler: @escaping @Sendable (Log) -> Void) {
        self.filter = filter
        self.redaction = redaction
        self.handler = handler
    }

    /// An entry was written to the run's journal. Called in the writer's task.
    func receive(_ record: Journal.Record) {
        guard let log = LogReport.log(of: record.entry) else { return }
        request.withLock { $0.add(log) }
        pass(log)
    }

    func end(_ end: Outcome<Void>, _ more: RunExtension.End?, duration: Duration) {
        pass(LogReport.log(of: end, more, duration: duration))
    }

    private func pass(_ log: Log) {
        guard filter.shows(log) else { return }
        let completed = log.completed(by: request.withLock { $0.details }, run: run)
        // What a handler does, such as a request, doesn't belong to the run.
        Run.within(nil) { handler(completed.masked(by: redaction)) }
    }
}
