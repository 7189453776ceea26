extension LogSink {
    /// Writes the default text form to standard error, in colours where ``LogColors/automatic`` says so. One sink for
    /// the whole process.
    public static let standardError = LogSink.standardError(colors: .automatic)

    /// Writes the default text form to standard error.
    public static func standardError(colors: LogColors) -> LogSink {
        LogSink(StreamWriter(file: FileDescriptor(number: 2), colors: colors))
    }
}

/// Writes the default text form to an open file that somebody else closes.
struct StreamWriter: LogWriter {
    let file: FileDescriptor
    let colors: LogColors

    func write(_ report: LogReport) throws {
        let text = report.text(colors: colors.areWanted(on: file))
        if !text.isEmpty { try file.write(text) }
    }
}
