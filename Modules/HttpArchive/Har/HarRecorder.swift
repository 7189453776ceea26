public import Logging
import Models
import Synchronization
import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Gathers the exchanges of a session and writes them as a HAR 1.2 file, which the developer tools of browsers open.
/// (Source: http://www.softwareishard.com/blog/har-12-spec/)
///
/// ```swift
/// let recorder = HarRecorder()
/// let user: User = try await builder.record(to: recorder).build().execute()
/// try recorder.write(to: URL(fileURLWithPath: "/tmp/session.har"))
/// ```
///
/// - One entry an exchange with a server, in the order of the attempts' ends: a redirect, a retry and a replay have
///   entries of their own.
/// - Request headers are those that libcurl sent, its own (`Host`, `Accept`) and the cookies that it keeps included.
///   libcurl is asked for them while a recorder is there, and only then. Of HTTP/2 they are in libcurl's words for them,
///   before they are compressed.
/// - Times come from the `TransferMetrics` of the answer or of the error. Without them all time counts as `wait`.
/// - What failed has its error in `_error` and in the comment, and status 0 unless an answer had begun.
/// - A sender that doesn't tell its exchanges, as the one over URLSession, has one entry an attempt: with the headers
///   that the chain set, how many redirects there were, and where they led (`_finalUrl`).
/// - Secrets are masked in URLs, headers, cookies, bodies and errors' texts.
///
/// May be used from any thread.
public final class HarRecorder: Sendable {
    /// Whether bodies are recorded.
    public enum Bodies: Hashable, Sendable {
        /// Only their sizes and types.
        case sizesOnly
        /// Those of at most so many bytes: text as text, anything else in base64. Files that are uploaded are named and
        /// not read.
        case upTo(bytes: Int)
    }

    private struct State {
        var exchanges: [HarExchange] = []
        /// Where the oldest of the exchanges is, once there are as many as may be.
        var oldest = 0
        var dropped = 0
    }

    private let limit: Int
    private let bodies: Bodies
    private let redaction: Redaction
    private let state = Mutex(State())

    /// Creates an empty recorder.
    ///
    /// - Parameters:
    ///   - limit: how many exchanges are kept, at least one: the newest.
    ///   - bodies: whether bodies are recorded, which keeps them in memory.
    ///   - redaction: how secrets are masked, by the names of each request's own `RequestOptions.redaction` too;
    ///     `Redaction.none` masks nothing. What is masked is still in memory until the file is written.
    public init(limit: Int = 1000, bodies: Bodies = .sizesOnly, redaction: Redaction = .standard) {
        self.limit = max(limit, 1)
        self.bodies = bodies
        self.redaction = redaction
    }

    /// How many exchanges are kept.
    public var count: Int {
        state.withLock { $0.exchanges.count }
    }

    /// How many exchanges were dropped to make room for newer ones.
    public var droppedExchanges: Int {
        state.withLock { $0.dropped }
    }

    /// Forgets what was gathered.
    public func clear() {
        // The exchanges are released outside the lock.
        _ = state.withLock { state in
            defer { state = State() }
            return state.exchanges
        }
    }

    func record(_ exchange: HarExchange) {
        let exchange = exchange.keeping(bodies)
        _ = state.withLock { state -> HarExchange? in
            guard state.exchanges.count == limit else {
                state.exchanges.append(exchange)
                return nil
            }
            let old = state.exchanges[state.oldest]
            state.exchanges[state.oldest] = exchange
            state.oldest = (state.oldest + 1) % limit
            state.dropped += 1
            return old
        }
    }

    /// The file's text in UTF-8: JSON, indented.
    public func data() throws -> Data {
        let (exchanges, oldest, dropped) = state.withLock { ($0.exchanges, $0.oldest, $0.dropped) }
        let sorted = exchanges[oldest...] + exchanges[..<oldest]
        let comment = dropped > 0 ? "\(dropped) older exchanges were dropped" : nil
        let log = HarLog(
            entries: sorted.map {
                HarEntry(
                    $0, redaction: redaction.merging($0.request.options.redaction), recordsBodies: bodies != .sizesOnly)
            },
            comment: comment)
        var encoder = JsonEncoder()
        encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(HarFile(log: log))
    }

    /// Writes the file, in place of one that is there; its owner alone may read it, from its creation on.
    ///
    /// - Throws: an error whose description names the path and what the system said.
    public func write(to file: URL) throws {
        try PrivateFile.write(data(), to: file)
    }
}
