import NetChainKit
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A spinner on standard error while requests are in progress.
///
/// It appears after 100 ms, so that quick requests don't make the terminal flicker.
final class Spinner: LoadIndicator {
    private let drawing = Mutex<Task<Void, Never>?>(nil)

    func show() {
        let task = Task {
            var frames = 0
            while (try? await Task.sleep(for: .milliseconds(100))) != nil {
                write("\r\(["|", "/", "-", "\\"][frames % 4]) ")
                frames += 1
            }
            if frames > 0 { write("\r  \r") }
        }
        drawing.withLock { $0 = task }
    }

    func hide() {
        drawing.withLock { $0.take() }?.cancel()
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = systemWrite(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

private let systemWrite = write
