import NetChainKit
import Synchronization

/// A spinner on standard error while requests are in progress.
///
/// It appears after 100 ms, so that quick requests don't make the terminal flicker.
final class Spinner: LoadIndicator {
    private let drawing = Mutex<Task<Void, Never>?>(nil)

    func show() {
        let task = Task {
            var frames = 0
            while (try? await Task.sleep(for: .milliseconds(100))) != nil {
                writeToStandardError("\r\(["|", "/", "-", "\\"][frames % 4]) ")
                frames += 1
            }
            if frames > 0 { writeToStandardError("\r  \r") }
        }
        drawing.withLock { $0 = task }
    }

    func hide() {
        drawing.withLock { $0.take() }?.cancel()
    }
}
