/// How a sink formats a report.
///
/// ```swift
/// .file("/tmp/ends.log", format: LogFormat { report in "\(report.summary)\n" })
/// ```
public struct LogFormat: Sendable {
    /// Whether a file gets the time before each report.
    let isDated: Bool
    private let make: @Sendable (LogReport, _ colors: Bool) -> String

    private init(isDated: Bool, make: @escaping @Sendable (LogReport, _ colors: Bool) -> String) {
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

    /// One line a run, as for an access log, if the filter shows the run's result. Line ends in an error are blanks. The
    /// request and the status come from events at level `info`: with a filter that hides these, they are left out.
    ///
    /// ```text
    /// 2026-01-31T23:59:59.123Z GET https://shop.example/users 200 completed in 12.3 ms
    /// 2026-01-31T23:59:59.321Z GET https://shop.example/users 503 attempt 3 failed after 2400.0 ms: …
    /// ```
    public static let line = LogFormat { report in report.line.map { "\($0)\n" } ?? "" }

    func text(of report: LogReport, colors: Bool) -> String {
        make(report, colors)
    }
}
