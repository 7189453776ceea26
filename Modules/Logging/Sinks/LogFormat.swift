import Synchronization

/// How a sink formats a report.
///
/// ```swift
/// .standardError(format: .waterfall)
/// .file("/tmp/run.trace.json", format: .chromeTrace)
/// .file("/tmp/ends.log", format: LogFormat { report in "\(report.summary)\n" })
/// ```
public struct LogFormat: Sendable {
    /// The first text of an empty file.
    let header: String
    /// Whether a file gets the time before each report.
    let isDated: Bool
    private let make: @Sendable (LogReport, _ colors: Bool) -> String

    init(header: String = "", isDated: Bool, make: @escaping @Sendable (LogReport, _ colors: Bool) -> String) {
        self.header = header
        self.isDated = isDated
        self.make = make
    }

    /// Creates a format. The result of `make` is written as it is, so it usually ends with a newline; an empty text
    /// isn't written. Called on the sink's queue.
    public init(_ make: @escaping @Sendable (LogReport) -> String) {
        self.init(isDated: false) { report, _ in make(report) }
    }

    /// The default: `<<<===NodeName===>>>`, then the message's lines; finally the run's result.
    public static let text = LogFormat(isDated: true) { report, colors in report.text(colors: colors) }

    /// Which node took how long, as bars (``Span``).
    public static let waterfall = LogFormat(isDated: true) { report, _ in report.trace.waterfall() }

    /// The Trace Event Format, which Perfetto and `chrome://tracing` open, for ``LogSink/file(_:format:)``: an array
    /// that is never closed, as the format allows, so that each run can be appended.
    public static var chromeTrace: LogFormat {
        let runs = RunCounter()
        return LogFormat(header: "[\n", isDated: false) { report, _ in
            report.trace.chromeEvents(run: runs.next()).map { "\($0),\n" }.joined()
        }
    }

    func text(of report: LogReport, colors: Bool) -> String {
        make(report, colors)
    }
}

private final class RunCounter: Sendable {
    private let runs = Mutex(0)

    func next() -> Int {
        runs.withLock { runs in
            defer { runs += 1 }
            return runs
        }
    }
}
