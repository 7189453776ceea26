public import Logging
import NodeCore

/// What access safety tells the journal of a request. It never holds a token.
public struct AccessSafeEvent: LogEntry, CustomStringConvertible {
    /// The kind of an ``AccessSafeEvent``; new kinds may come.
    public struct Kind: Hashable, Sendable {
        let name: String

        /// The request waits before it is sent: a refresh is in progress, or one begins because the token ends soon.
        public static let frozenBeforeSending = Kind(name: "frozenBeforeSending")
        /// The request was refused and waits for a new token. With the error.
        public static let frozenAfterRefusal = Kind(name: "frozenAfterRefusal")
        /// A refresh begins, on behalf of this request.
        public static let refreshStarted = Kind(name: "refreshStarted")
        /// That refresh succeeded. With its duration.
        public static let refreshSucceeded = Kind(name: "refreshSucceeded")
        /// That refresh failed. With its duration and error.
        public static let refreshFailed = Kind(name: "refreshFailed")
        /// A refresh is needed and would exceed ``RefreshLimits/refreshes``: the request fails. With its rejection,
        /// where it was sent.
        public static let refreshLimitReached = Kind(name: "refreshLimitReached")
        /// The request, which had been frozen before it was sent, is sent now. With the refresh's duration, and with
        /// its error where it failed but the old token is still good.
        public static let sent = Kind(name: "sent")
        /// The request, which had been refused, is sent again. With the refresh's duration, or without one where the
        /// token had been refreshed before the refusal arrived.
        public static let sentAgain = Kind(name: "sentAgain")
    }

    /// The name of the node that tells it: an ``AccessSafeNode``'s, or the ``TokenRefresherNode``'s.
    public let id: String
    /// What happened.
    public let kind: Kind
    /// How long the refresh took.
    public let duration: Duration?
    /// What went wrong.
    public let error: (any Error)?

    init(id: String, kind: Kind, duration: Duration? = nil, error: (any Error)? = nil) {
        self.id = id
        self.kind = kind
        self.duration = duration
        self.error = error
    }

    /// About how many bytes of a body the error keeps.
    public var retainedBytes: Int {
        error?.retainedBodyBytes ?? 0
    }

    /// A rejection, a refresh that failed and the limit of refreshes are warnings. The rest is `info`.
    public var level: LogLevel {
        kind == .frozenAfterRefusal || kind == .refreshLimitReached || error != nil ? .warning : .info
    }

    /// The ``description``. There is nothing to mask.
    public func message(with redaction: Redaction) -> String {
        description
    }

    /// What happened, in words; of an error only its type.
    public var description: String {
        let why = error.map { " (\(type(of: $0)))" } ?? ""
        let time = duration.map { "\(Int($0 / .milliseconds(1))) ms" } ?? ""
        return switch kind {
        case .frozenBeforeSending: "Waits for a token refresh before it is sent."
        case .frozenAfterRefusal: "Access was refused\(why): waits for a token refresh."
        case .refreshStarted: "The token refresh begins."
        case .refreshSucceeded: "The token was refreshed in \(time)."
        case .refreshFailed: "The token refresh failed after \(time)\(why)."
        case .refreshLimitReached: "No token refresh: there have been too many lately\(why)."
        case .sent where error != nil: "Sent with the token at hand: the early refresh failed after \(time)\(why)."
        case .sent: "Sent after a token refresh of \(time)."
        case .sentAgain where duration == nil: "Sent again at once: the token is newer than the one that was refused."
        case .sentAgain: "Sent again after a token refresh of \(time)."
        default: kind.name
        }
    }

    /// Writes to a journal, that of the chain run in progress by default, if it has a reader. The name is asked for only
    /// then: finding it costs.
    static func note(
        _ id: @autoclosure () -> String, _ kind: Kind, duration: Duration? = nil, error: (any Error)? = nil,
        in journal: Journal? = .current
    ) {
        guard let journal else { return }
        journal.append(AccessSafeEvent(id: id(), kind: kind, duration: duration, error: error))
    }
}
