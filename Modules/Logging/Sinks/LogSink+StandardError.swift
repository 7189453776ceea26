extension LogSink {
    /// Writes the default text form to standard error, in colors as ``LogColors/automatic`` decides. One sink for the
    /// whole process. What it has accepted is written before the process exits.
    public static let standardError: LogSink = {
        let sink = LogSink.standardError()
        sink.flushAtExit()
        return sink
    }()

    /// The sink that chains have by default: ``standardError`` in a debug build, ``silent`` in a release build.
    public static let standard = isDebugBuild ? LogSink.standardError : .silent

    private static var isDebugBuild: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }

    /// Creates a sink that writes to standard error.
    public static func standardError(format: LogFormat = .text, colors: LogColors = .automatic) -> LogSink {
        LogSink(StreamWriter(file: FileDescriptor(number: 2), format: format, colors: colors))
    }
}

/// Writes to an open file, which it doesn't close.
struct StreamWriter: LogWriter {
    private let file: FileDescriptor
    private let format: LogFormat
    private let hasColors: Bool

    /// Creates the writer; checks the terminal and the environment once.
    init(file: FileDescriptor, format: LogFormat, colors: LogColors) {
        self.file = file
        self.format = format
        hasColors = colors.areWanted(on: file)
    }

    func write(_ report: LogReport) throws {
        let text = format.text(of: report, colors: hasColors)
        if !text.isEmpty { try file.write(text) }
    }
}
