import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LogSink {
    /// Appends to the file at `path`. In the default format each report follows a line with the
    /// time at which its run started (`=== 2026-01-31T23:59:59.123Z`).
    ///
    /// The file is opened with the first report, created (for its owner only) if it doesn't exist, and closed with the
    /// sink. A report that can't be written is counted in ``failedReports``, and ``lastFailure`` says why. What was written
    /// of it is removed, and the next report tries to open the file again.
    public static func file(_ path: String, format: LogFormat = .text) -> LogSink {
        LogSink(FileWriter(path: path, format: format))
    }
}

/// Appends reports to a file.
private final class FileWriter: LogWriter {
    private let path: String
    private let format: LogFormat
    private let file = Mutex<FileDescriptor?>(nil)

    init(path: String, format: LogFormat) {
        self.path = path
        self.format = format
    }

    deinit {
        if let file = file.withLock({ $0 }) { close(file.number) }
    }

    func write(_ report: LogReport) throws {
        let text = format.text(of: report, colors: false)
        if text.isEmpty { return }
        let date = format.isDated ? "=== \(WallClock.text(report.startTime))\n" : ""
        try file.withLock { file in
            let current = try file ?? FileDescriptor.appending(to: path)
            file = current
            let size = current.size
            do {
                try current.write(date + text)
            } catch {
                // A full disk may take a part of the report, which the next one must not continue. What others have
                // written meanwhile is kept.
                let written = (error as? SystemError)?.written ?? 0
                if let size, current.size == size + off_t(written) { _ = ftruncate(current.number, size) }
                close(current.number)
                file = nil
                throw error
            }
        }
    }
}

extension FileDescriptor {
    fileprivate static func appending(to path: String) throws(SystemError) -> FileDescriptor {
        let number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError(number: errno, path: path) }
        return FileDescriptor(number: number, path: path)
    }

    /// The file's size in bytes; nil when not known.
    fileprivate var size: off_t? {
        var facts = stat()
        return fstat(number, &facts) == 0 ? facts.st_size : nil
    }
}
