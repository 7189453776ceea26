import HttpMessages
import Logging
import NodeCore

/// What a store is asked for, as the end of "the store failed to …".
enum StoreOperation: String {
    case secret = "return its secret"
    case lookup = "look up the response"
    case read = "read the body"
    case write = "store the response"
    case update = "update the headers"
    case remove = "remove responses"
    case use = "respond"
}

/// What a cache writes to the journal of a request.
enum CacheEvent: Sendable {
    /// What a stale response is served instead of.
    enum Instead: Sendable {
        case error(any Error)
        case status(Int)
    }

    case outcome(CacheOutcome, HttpRequest, status: Int, instead: Instead? = nil)
    case storeFailed(StoreOperation, any Error)
    /// The body is larger than the store takes, which is no failure.
    case notStored(any Error)

    static let writer = "HttpCache"

    func write(in journal: Journal? = .current) {
        guard let journal else { return }
        switch self {
        case .outcome(let outcome, let request, let status, let instead):
            var details = request.logDetails
            details.status = status
            details.value = outcome
            let level = outcome == .miss ? LogLevel.debug : .info
            if case .error(let error) = instead { details.error = error }
            journal.append(
                Log(id: Self.writer, level: level, kind: .cache, details: details) { redaction in
                    "\(outcome)\(redaction.text(instead?.description ?? ""))"
                })
        case .storeFailed(let operation, let error):
            append("the store failed to \(operation.rawValue)", error, level: .warning, to: journal)
        case .notStored(let error): append("the response isn't stored", error, level: .debug, to: journal)
        }
    }

    private func append(_ text: String, _ error: any Error, level: LogLevel, to journal: Journal) {
        var details = Log.Details()
        details.error = error
        journal.append(
            Log(id: Self.writer, level: level, kind: .cache, details: details) { "\(text): \(error)" })
    }
}

extension CacheEvent.Instead: CustomStringConvertible {
    var description: String {
        switch self {
        case .error(let error): ", instead of the error: \(error)"
        case .status(let status): ", instead of status \(status)"
        }
    }
}

extension Error {
    /// Whether a writer has rejected a body for its size.
    var isForSize: Bool {
        self is HttpCacheMemoryStore.WritingError || (self as? HttpCacheFolderError)?.code == .tooLarge
    }
}
