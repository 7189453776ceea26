/// Writes reports: the protocol for a new kind of sink. ``LogSink`` provides the queue.
public protocol LogWriter: Sendable {
    /// Writes the report. Called on the sink's queue, for one report at a time, in the order in which the chains ended.
    /// It may be slow and it may throw: neither affects a request.
    func write(_ report: LogReport) throws
}
