import Logging
import NodeCore

/// What access safety writes to the journal of a request, as an event of kind `refresh`. It never holds a token.
enum AccessEvent {
    /// The request waits before it is sent: a refresh is in progress, or one starts because the token expires soon.
    case frozenBeforeSending
    /// The request was rejected and waits for a new token.
    case frozenAfterRejection(any Error)
    /// A refresh starts, caused by this request.
    case refreshStarted
    /// That refresh has ended.
    case refreshEnded(Duration, error: (any Error)?)
    /// A refresh is needed and would exceed ``RefreshLimits/refreshes``: the request fails.
    case refreshLimitReached((any Error)?)
    /// The request, frozen before it was sent, is sent. With an error where the refresh failed and the old token is
    /// still valid.
    case sent(after: Duration, error: (any Error)?)
    /// The request, which was rejected, is sent again. Without a duration where the token had been refreshed before the
    /// rejection arrived.
    case sentAgain(after: Duration?)

    private var duration: Duration? {
        switch self {
        case .refreshEnded(let duration, _), .sent(let duration, _): duration
        case .sentAgain(let duration): duration
        case .frozenBeforeSending, .frozenAfterRejection, .refreshStarted, .refreshLimitReached: nil
        }
    }

    private var error: (any Error)? {
        switch self {
        case .frozenAfterRejection(let error): error
        case .refreshEnded(_, let error), .refreshLimitReached(let error), .sent(_, let error): error
        case .frozenBeforeSending, .refreshStarted, .sentAgain: nil
        }
    }

    /// A rejection, a failed refresh and the limit of refreshes are warnings.
    private var level: LogLevel {
        if case .refreshLimitReached = self { return .warning }
        return error == nil ? .info : .warning
    }

    /// What happened, in words; only the type of an error.
    private var text: String {
        let why = error.map { " (\(type(of: $0)))" } ?? ""
        let time = duration.map { "\(Int($0 / .milliseconds(1))) ms" } ?? ""
        return switch self {
        case .frozenBeforeSending: "Waits for a token refresh before it is sent."
        case .frozenAfterRejection: "Access was rejected\(why): waits for a token refresh."
        case .refreshStarted: "The token refresh starts."
        case .refreshEnded(_, nil): "The token was refreshed in \(time)."
        case .refreshEnded: "The token refresh failed after \(time)\(why)."
        case .refreshLimitReached: "No token refresh, since the limit of refreshes is reached\(why)."
        case .sent(_, nil): "Sent after a token refresh of \(time)."
        case .sent: "Sent with the old token, since the early refresh failed after \(time)\(why)."
        case .sentAgain(nil): "Sent again at once: the token is newer than the one that was rejected."
        case .sentAgain: "Sent again after a token refresh of \(time)."
        }
    }

    /// Writes to a journal, by default that of the run in progress. Without a journal the name is not evaluated.
    func write(by id: @autoclosure () -> String, in journal: Journal? = .current) {
        guard let journal else { return }
        var details = Log.Details()
        details.duration = duration
        details.error = error
        journal.append(
            Log(
                id: id(), level: level, kind: .refresh, details: details, retainedBytes: error?.retainedBodyBytes ?? 0
            ) { text })
    }
}
