import NetChainKit
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes the demo's steps. Draws progress bars in place if standard output is a terminal.
final class DemoTerminal: Sendable {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let lastTenth = Mutex(-1)
    /// Shows a spinner if standard error is a terminal.
    let activity = LoadActivity(indicator: isatty(STDERR_FILENO) == 1 ? Spinner() : nil)

    func title(_ text: String) {
        print(isTerminal ? "\n\u{1B}[1m\(text)\u{1B}[0m" : "\n\(text)")
    }

    func line(_ text: String) {
        print(text.split(separator: "\n", omittingEmptySubsequences: false).map { "   \($0)" }.joined(separator: "\n"))
    }

    /// Draws a bar: in place on a terminal, otherwise one line per tenth.
    func bar(_ name: String, _ done: Int64, of total: Int64?) {
        guard let total, total > 0 else { return }
        let tenth = Int(done * 10 / total)
        let isNew = lastTenth.withLock { last in
            defer { last = tenth == 10 ? -1 : tenth }
            return last != tenth
        }
        let width = 30
        let filled = Int(done * Int64(width) / total)
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        let text = "   \(name) [\(bar)] \(done * 100 / total)% of \(total / 1_000_000) MB"
        if isTerminal {
            print("\r\(text)", terminator: done == total ? "\n" : "")
            fflush(nil)
        } else if isNew {
            print(text)
        }
    }
}

func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
