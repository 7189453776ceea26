import Dispatch
import Synchronization

/// Counts the requests in progress, and calls an indicator with the first and the last of them.
public final class LoadActivity: Sendable {
    /// The activity that chains share unless they are given another one. It counts and shows nothing.
    public static let shared = LoadActivity()

    private let active = Mutex(0)
    /// Orders the indicator's calls as the count changed, away from the requests' threads.
    private let queue = DispatchQueue(label: "netchainkit.load-activity")
    private let indicator: (any LoadIndicator)?

    /// Creates an activity of its own.
    ///
    /// - Parameter indicator: what shows that requests are in progress; nil for nothing.
    public init(indicator: (any LoadIndicator)? = nil) {
        self.indicator = indicator
    }

    /// How many requests are in progress.
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
