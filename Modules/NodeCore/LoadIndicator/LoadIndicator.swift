/// What an application shows while requests are in progress, such as a progress view or a spinner.
public protocol LoadIndicator: Sendable {
    /// The first request has started. Called on a background queue, never twice in a row.
    func show()
    /// The last request has ended. Called on a background queue, never twice in a row.
    func hide()
}
