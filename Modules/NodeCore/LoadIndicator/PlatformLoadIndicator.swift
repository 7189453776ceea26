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

/// A spinner on standard error, redrawn ten times a second while requests run and wiped as soon as they end.
///
/// It appears after a tenth of a second, so that quick requests don't make the terminal flicker.
final class SpinnerLoadIndicator: LoadIndicator {
    private struct State {
        /// Grows with each `show` and `hide`; a spinner that was started under an older one stops.
        var generation = 0
        var isDrawn = false
    }

    private let state = Mutex(State())
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
        queue.async { [self] in
            let isDrawn = state.withLock { state in
                defer { state.isDrawn = false }
                return state.isDrawn
            }
            if isDrawn { write("\r  \r") }
        }
    }

    private func nextGeneration() -> Int {
        state.withLock { state in
            state.generation += 1
            return state.generation
        }
    }

    private func draw(frame: Int, generation: Int) {
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
            let isCurrent = state.withLock { state in
                if state.generation == generation { state.isDrawn = true }
                return state.generation == generation
            }
            guard isCurrent else { return }
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
