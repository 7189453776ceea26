/// Puts reports somewhere: what the author of a new kind of sink writes. ``LogSink`` brings the queue.
public protocol LogWriter: Sendable {
    /// Puts the report somewhere. Called on the sink's queue, for one report at a time, in the order of the chains'
    /// ends. It may be slow and it may throw: no request notices either.
    func write(_ report: LogReport) throws
}
