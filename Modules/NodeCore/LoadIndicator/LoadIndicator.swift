/// Something that shows that requests are under way.
public protocol LoadIndicator: Sendable {
    /// The first request has started. Called on any thread, never twice in a row.
    func show()
    /// The last request has ended. Called on any thread, never twice in a row.
    func hide()
}

/// An indicator that shows nothing.
public struct SilentLoadIndicator: LoadIndicator {
    /// Makes it.
    public init() {}
    /// Shows nothing.
    public func show() {}
    /// Hides nothing.
    public func hide() {}
}
