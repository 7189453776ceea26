import Dispatch
import Synchronization

/// Counts the requests under way and turns an indicator on with the first and off with the last.
public final class LoadActivity: Sendable {
    /// The activity that chains share unless they are given another one, with the platform's indicator: the status bar
    /// where UIKit has one, a spinner on standard error when that is a terminal, silent otherwise.
    public static let shared = LoadActivity(indicator: platformLoadIndicator())

    private let active = Mutex(0)
    /// Orders the indicator's calls as the count changed, away from the requests' threads.
    private let queue = DispatchQueue(label: "netchainkit.load-activity")
    /// nil for one that shows nothing, so that nothing is put into the queue for it.
    private let indicator: (any LoadIndicator)?

    /// Makes an activity with an indicator of its own.
    public init(indicator: any LoadIndicator) {
        self.indicator = indicator is SilentLoadIndicator ? nil : indicator
    }

    /// How many requests are under way.
    public var count: Int {
        active.withLock { $0 }
    }

    /// A request has started.
    func begin() {
        active.withLock { count in
            count += 1
            if count == 1, let indicator { queue.async { indicator.show() } }
        }
    }

    /// A request has ended.
    func end() {
        active.withLock { count in
            count -= 1
            if count == 0, let indicator { queue.async { indicator.hide() } }
        }
    }
}
