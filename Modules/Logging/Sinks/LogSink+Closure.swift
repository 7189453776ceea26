extension LogSink {
    /// Calls `body` with each report, on the sink's queue. It may be slow and it may throw.
    public static func closure(_ body: @escaping @Sendable (LogReport) throws -> Void) -> LogSink {
        LogSink(ClosureWriter(body: body))
    }
}

private struct ClosureWriter: LogWriter {
    let body: @Sendable (LogReport) throws -> Void

    func write(_ report: LogReport) throws {
        try body(report)
    }
}
