import NodeCore
import Testing

@testable import Logging

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A folder that is empty first and gone in the end.
private struct Folder: ~Copyable {
    let path: String

    init() throws {
        var template = Array("/tmp/logging-tests-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
            throw SystemError(number: errno)
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        unlink("\(path)/log")
        rmdir("\(path)/missing")
        rmdir(path)
    }

    func text(_ name: String = "log") -> String {
        guard let file = fopen("\(path)/\(name)", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

@Suite struct FileSinkTests {
    @Test func reportsAreAppendedBehindTheirTime() async throws {
        let folder = try Folder()
        for number in 0..<2 {
            let sink = LogSink.file("\(folder.path)/log")
            let chain = LoggerNode(next: TalkingNode(next: echo()), filters: ["LoggerNode"], sink: sink)
            _ = try await chain.execute(number)
            await sink.drain()
            #expect(sink.failedReports == 0)
        }
        let lines = folder.text().split(separator: "\n")
        #expect(lines.count == 10)
        #expect(lines[0].wholeMatch(of: /=== \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(lines[0])")
        #expect(
            lines[1...4] == [
                "<<<===TalkingNode===>>>", "TalkingNode down 0", "<<<===TalkingNode===>>>", "TalkingNode up 0",
            ])
        #expect(lines[9] == "TalkingNode up 1")
    }

    @Test func onlyTheOwnerMayReadTheFile() async throws {
        let folder = try Folder()
        let sink = LogSink.file("\(folder.path)/log")
        _ = try await LoggerNode(next: echo(), sink: sink).execute(1)
        await sink.drain()
        var facts = stat()
        #expect(stat("\(folder.path)/log", &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
    }

    @Test func aFileThatCannotBeOpenedFailsNoRequestAndIsTriedAgain() async throws {
        let folder = try Folder()
        let sink = LogSink.file("\(folder.path)/missing/log")
        let chain = LoggerNode(next: echo(), sink: sink)
        #expect(try await chain.execute(1) == 1)
        await sink.drain()
        #expect(sink.failedReports == 1)
        let reason = "\(folder.path)/missing/log can't be written: No such file or directory"
        #expect(sink.lastFailure.map { "\($0)" } == reason)
        #expect(mkdir("\(folder.path)/missing", 0o700) == 0)
        #expect(try await chain.execute(2) == 2)
        await sink.drain()
        #expect(sink.failedReports == 1)
        #expect(folder.text("missing/log").contains("completed in "))
        unlink("\(folder.path)/missing/log")
    }

    #if compiler(>=6.2) && canImport(Glibc)  // Exit tests.
    /// A limit to the size of files stands for a disk that is full.
    @Test func aReportThatIsWrittenInPartIsRemoved() async throws {
        // In another process, because the limit applies to all files of a process.
        await #expect(processExitsWith: .success) {
            let folder = try Folder()
            let sink = LogSink.file("\(folder.path)/log", format: LogFormat { _ in "0123456789\n" })
            let chain = LoggerNode(next: echo(), sink: sink)
            signal(SIGXFSZ, SIG_IGN)
            var limits = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
            for limit in [limits.rlim_max, 15, limits.rlim_max] {
                limits.rlim_cur = limit
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
                _ = try await chain.execute(1)
                await sink.drain()
            }
            #expect(sink.failedReports == 1)
            #expect(folder.text() == "0123456789\n0123456789\n")
        }
    }
    #endif

    @Test func aPipeThatNobodyReadsIsAnErrorAndNoSignal() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        let file = FileDescriptor(number: ends[1])
        #expect(throws: SystemError(number: EPIPE)) { try file.write("x") }
        close(ends[1])
    }

    @Test func aStreamGetsTheWholeText() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let journal = Journal()
        journal.append(Log(id: "A") { "Bearer hunter2 ä" })
        let report = LogReport(closing: journal, end: .canceled, filter: LogFilter(only: ["A"]), redaction: .standard)
        let writer = StreamWriter(file: FileDescriptor(number: ends[1]), format: .text, colors: .automatic)
        try writer.write(report)
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = read(ends[0], &bytes, bytes.count)
        close(ends[0])
        #expect(String(decoding: bytes[..<count], as: UTF8.self) == "<<<===A===>>>\nBearer *** ä\n")
    }

    @Test(
        arguments: [
            (LogColors.automatic, true, [:], true),
            (.automatic, false, [:], false),
            (.automatic, true, ["NO_COLOR": "1"], false),
            (.automatic, true, ["NO_COLOR": ""], true),
            (.automatic, true, ["TERM": "dumb"], false),
            (.automatic, true, ["TERM": "xterm"], true),
            (.always, false, ["NO_COLOR": "1"], true),
            (.never, true, [:], false),
        ] as [(LogColors, Bool, [String: String], Bool)])
    func colorsAreForTerminalsThatWantThem(
        colors: LogColors, isTerminal: Bool, environment: [String: String], areWanted: Bool
    ) {
        #expect(colors.areWanted(isTerminal: isTerminal) { environment[$0] } == areWanted)
    }
}
