import Synchronization

/// How far a request has come: what it waits for before it is sent, such as a limit of the client, and its attempts. All
/// copies of a request share it, so that the error of a deadline around them can tell it.
package final class RequestWait: Sendable {
    private let state = Mutex<(name: String?, attempt: Int)>((nil, 1))

    /// Creates one of a first attempt that waits for nothing.
    package init() {}

    /// The name of what the request waits for; nil while it doesn't wait.
    package var name: String? {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    /// The number of the current attempt.
    package var attempt: Int {
        get { state.withLock { $0.attempt } }
        set { state.withLock { $0.attempt = newValue } }
    }
}
