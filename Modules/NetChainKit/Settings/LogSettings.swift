public import Logging

/// The log's sink, filter and redaction.
public struct LogSettings: Sendable {
    /// The log's destination: standard error in a debug build, nowhere in a release build.
    public var sink = LogSink.standard
    /// Which lines are logged.
    public var filter = LogFilter.standard
    /// What is masked, in the log and wherever a request is described: in errors, HAR files and curl commands too.
    public var redaction = Redaction.standard
}
