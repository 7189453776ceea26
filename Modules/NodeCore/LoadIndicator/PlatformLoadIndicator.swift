import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

#if os(iOS) && canImport(UIKit) && !targetEnvironment(macCatalyst)
import UIKit

/// The activity indicator of the status bar.
private struct StatusBarLoadIndicator: LoadIndicator {
    func show() {
        DispatchQueue.main.async { UIApplication.shared.isNetworkActivityIndicatorVisible = true }
    }

    func hide() {
        DispatchQueue.main.async { UIApplication.shared.isNetworkActivityIndicatorVisible = false }
    }
}

func platformLoadIndicator() -> any LoadIndicator {
    StatusBarLoadIndicator()
}
#else
func platformLoadIndicator() -> any LoadIndicator {
    isatty(STDERR_FILENO) == 1 ? SpinnerLoadIndicator() as any LoadIndicator : SilentLoadIndicator()
}
#endif

/// A spinner on standard error, redrawn ten times a second while requests run and wiped afterwards.
///
/// It appears after a tenth of a second, so that quick requests don't make the terminal flicker.
final class SpinnerLoadIndicator: LoadIndicator {
    /// Grows with each `show` and `hide`; a spinner that was started under an older one stops.
    private let generation = Mutex(0)
    private let queue = DispatchQueue(label: "netchainkit.spinner")
    private let write: @Sendable (String) -> Void

    /// - Parameter write: where the spinner is drawn; called on a queue of the spinner's, one call at a time.
    init(write: @escaping @Sendable (String) -> Void = SpinnerLoadIndicator.writeToStandardError) {
        self.write = write
    }

    func show() {
        draw(frame: 0, generation: nextGeneration())
    }

    func hide() {
        _ = nextGeneration()
    }

    private func nextGeneration() -> Int {
        generation.withLock { generation in
            generation += 1
            return generation
        }
    }

    private func draw(frame: Int, generation: Int) {
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
            guard self.generation.withLock({ $0 }) == generation else {
                if frame > 0 { write("\r  \r") }
                return
            }
            let frames = ["|", "/", "-", "\\"]
            write("\r\(frames[frame % frames.count]) ")
            draw(frame: frame + 1, generation: generation)
        }
    }

    private static func writeToStandardError(_ text: String) {
        var text = text
        text.withUTF8 { bytes in _ = systemWrite(STDERR_FILENO, bytes.baseAddress, bytes.count) }
    }
}

private let systemWrite = write
