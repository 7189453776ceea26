public import Logging

/// Where the log goes, and what of it.
public struct LogSettings: Sendable {
    /// Where it goes: standard error in a debug build, nowhere in a release build.
    public var sink = LogSink.standard
    /// Which lines.
    public var filter = LogFilter.standard
    /// What is masked, in the log and wherever a request is described: in errors, HAR files and curl commands too.
    public var redaction = Redaction.standard

    /// The standard settings.
    public init() {}
}
