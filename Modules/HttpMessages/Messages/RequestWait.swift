import Synchronization

/// What a request waits for before it is sent, such as a limit of the client. All copies of a request share it, so that
/// a deadline around them can name it.
package final class RequestWait: Sendable {
    private let state = Mutex<String?>(nil)

    /// Creates one that waits for nothing.
    package init() {}

    /// The name of what the request waits for; nil while it doesn't wait.
    package var name: String? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
