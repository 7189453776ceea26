public import NodeCore

/// Why a request that waits for a new token, or needs one, can't be sent.
///
/// An error of the refresh itself reaches the frozen requests unchanged; this one reports the gate's own reasons. Its
/// ``description`` has the text of a cause that is a `MaskedValue`, as this library's errors are, and the type of any
/// other cause, whose text may contain secrets.
public struct AccessSafeError: Error, MaskedValue {
    /// The kind of an ``AccessSafeError``; new kinds may come.
    public struct Code: ErrorCode {
        package let name: String

        /// One more refresh would exceed ``RefreshLimits/refreshes`` within ``RefreshLimits/window``, so that a request
        /// whose token has expired is not sent. A request that the server has rejected fails with its own error.
        public static let refreshLimitReached = Code(name: "refreshLimitReached")
        /// The refresh took longer than ``RefreshLimits/timeout``. If it still succeeds, its tokens are used.
        public static let refreshTimedOut = Code(name: "refreshTimedOut")
        /// A request of the refresh chain would have to wait for the refresh that it belongs to: such requests must not
        /// go through an ``AccessSafeNode`` of the same refresher.
        public static let refreshInsideRefresh = Code(name: "refreshInsideRefresh")
        /// The refresh chain was canceled from within.
        public static let refreshCanceled = Code(name: "refreshCanceled")
        /// There are no tokens for the request: none were stored, or its session has ended and another one may have
        /// started. The cause is the one that was passed when the session ended.
        public static let signedOut = Code(name: "signedOut")
    }

    /// What happened.
    public let code: Code
    /// The underlying error; nil where there is none.
    public let cause: (any Error)?

    /// What happened, in words.
    public var description: String {
        guard let cause else { return text }
        if let cause = cause as? any MaskedValue { return "\(text) Cause: \(cause.description)" }
        return "\(text) Cause: \(type(of: cause))."
    }

    init(_ code: Code, cause: (any Error)? = nil) {
        self.code = code
        self.cause = cause
    }

    private var text: String {
        switch code {
        case .refreshLimitReached: "A new token is needed, and it has been refreshed too often lately to try again."
        case .refreshTimedOut: "The token refresh took longer than its limit (RefreshLimits.timeout)."
        case .refreshInsideRefresh:
            "The token refresh waits for itself: its chain goes through an AccessSafeNode of the same refresher."
        case .refreshCanceled: "The token refresh was canceled by its own chain."
        case .signedOut where cause != nil: "There are no tokens for the request: its session has ended."
        case .signedOut: "There are no tokens for the request: its session has ended or has not begun."
        default: "Access could not be renewed: \(code.name)."
        }
    }
}

extension AccessSafeError: NetChainFailure {
    /// Whether the refresh took too long.
    public var isTimeout: Bool { code == .refreshTimedOut }
    /// The name of the code.
    public var errorType: String { code.name }
}
