import HttpMessages
public import Logging
import NodeCore

extension Log.Kind {
    /// What a cache did with a request, or an error of its store. Details: method, URL, attempt, status, the error; the
    /// `CacheOutcome` as the value.
    public static let cache = Log.Kind("cache")
}

/// What a cache writes to the journal of a request.
enum CacheEvent {
    case outcome(CacheOutcome, HttpRequest, status: Int)
    case storeFailed(any Error)

    static let writer = "HttpCache"

    func write(in journal: Journal? = .current) {
        guard let journal else { return }
        switch self {
        case .outcome(let outcome, let request, let status):
            var details = request.logDetails
            details.status = status
            details.value = outcome
            let level = outcome == .miss ? LogLevel.debug : .info
            journal.append(Log(id: Self.writer, level: level, kind: .cache, details: details) { "\(outcome)" })
        case .storeFailed(let error):
            var details = Log.Details()
            details.error = error
            journal.append(
                Log(id: Self.writer, level: .warning, kind: .cache, details: details) {
                    "the store failed, which is a miss: \(error)"
                })
        }
    }
}
