import Logging
import NodeCore
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

#if compiler(>=6.2)  // Exit tests.
struct LogExitTests {
    /// A chain that logs to standard error, run to its end.
    private static func run(_ word: String) async throws {
        let chain = LoggerNode(
            next: ClosureNode<Void, Void>(name: "Speaking") { _ in
                Journal.current?.append(Line(text: word))
                return .emit()
            }, sink: .standardError)
        try await chain.execute()
    }

    private struct Line: JournalEntry, CustomStringConvertible {
        let id = "Speaking"
        let text: String
        var description: String { text }
    }

    @Test func whatWasLoggedIsWrittenBeforeTheProcessExits() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for index in 0..<50 { try await LogExitTests.run("word \(index) of the log") }
            exit(EXIT_SUCCESS)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("word 0 of the log"))
        #expect(text.contains("word 49 of the log"))
    }
}
#endif
