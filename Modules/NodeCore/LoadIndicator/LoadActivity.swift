import Dispatch
import Synchronization

/// Counts the requests in progress, and calls an indicator with the first and the last of them.
public final class LoadActivity: Sendable {
    /// The activity that chains share by default. It counts and shows nothing.
    public static let shared = LoadActivity()

    private let active = Mutex(0)
    /// Calls the indicator in the order in which the count changed, and not on the requests' threads.
    private let queue = DispatchQueue(label: "netchainkit.load-activity")
    private let indicator: (any LoadIndicator)?

    /// Creates an activity with a separate count.
    ///
    /// - Parameter indicator: what shows that requests are in progress; nil for nothing.
    public init(indicator: (any LoadIndicator)? = nil) {
        self.indicator = indicator
    }

    /// How many requests are in progress.
    public var count: Int {
        active.withLock { $0 }
    }

    func begin() {
        active.withLock { count in
            count += 1
            if count == 1, let indicator { queue.async { indicator.show() } }
        }
    }

    func end() {
        active.withLock { count in
            count -= 1
            if count == 0, let indicator { queue.async { indicator.hide() } }
        }
    }
}

/// What an application shows while requests are in progress, such as a progress view or a spinner.
public protocol LoadIndicator: Sendable {
    /// The first request has started. Called on a background queue, never twice in a row.
    func show()
    /// The last request has ended. Called on a background queue, never twice in a row.
    func hide()
}
