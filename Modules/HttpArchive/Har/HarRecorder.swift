import HttpMessages
public import Logging
import Models
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Records the exchanges of a session and writes them as a HAR 1.2 file, which browser developer tools open. (Source:
/// http://www.softwareishard.com/blog/har-12-spec/)
///
/// ```swift
/// let recorder = HarRecorder()
/// let user: User = try await builder.record(to: recorder).build().execute()
/// try recorder.write(to: URL(fileURLWithPath: "/tmp/session.har"))
/// ```
///
/// - There is one entry for each exchange with a server, also for a redirect, a retry and a replay. They are in the
///   order in which the attempts completed.
/// - Request headers are those that libcurl sent, including its own (`Host`, `Accept`) and its cookies. libcurl reports
///   them only while a recorder is present. For HTTP/2 they are in libcurl's text form, before compression.
/// - Times come from the `TransferMetrics` of the response or of the error. Without them all time counts as `wait`.
/// - A failed exchange has its error in `_error` and in the comment. Its status is 0 unless a response had started.
/// - A sender that doesn't report exchanges, such as the URLSession sender, has one entry for each attempt. It contains
///   the headers that the chain set, the number of redirects and the final URL (`_finalUrl`).
/// - Secrets are masked in URLs, headers, cookies, bodies and error texts.
///
/// May be used from any thread.
public final class HarRecorder: Sendable {
    /// Whether bodies are recorded.
    public enum Bodies: Equatable, Sendable {
        /// Only their sizes and types.
        case sizesOnly
        /// Bodies of at most this number of bytes: text as text, other data in base64. Uploaded files are named and not
        /// read.
        case upTo(bytes: Int)
    }

    private struct State {
        var exchanges: [HarExchange] = []
        /// The index of the oldest exchange, once the limit is reached.
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
    ///   - limit: the number of exchanges to keep, at least one. A new one then replaces the oldest.
    ///   - bodies: whether bodies are recorded, which keeps them in memory.
    ///   - redaction: how secrets are masked, in addition to each request's own `RequestOptions.redaction`;
    ///     `Redaction.none` masks nothing. Masking happens when the file is written: until then secrets are in memory.
    public init(limit: Int = 1000, bodies: Bodies = .sizesOnly, redaction: Redaction = .standard) {
        self.limit = max(limit, 1)
        self.bodies = bodies
        self.redaction = redaction
    }

    /// The number of kept exchanges.
    public var count: Int {
        state.withLock { $0.exchanges.count }
    }

    /// The number of exchanges that newer ones replaced.
    package var droppedExchanges: Int {
        state.withLock { $0.dropped }
    }

    /// Removes all exchanges, and resets the number of dropped ones.
    public func clear() {
        state.taking { state in
            defer { state = State() }
            return state.exchanges
        }
    }

    func record(_ exchanges: [HarExchange]) {
        for exchange in exchanges { record(exchange) }
    }

    func record(_ exchange: HarExchange) {
        let exchange = exchange.keeping(bodies)
        state.taking { state -> HarExchange? in
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

    /// Returns the file's content: indented JSON in UTF-8.
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

    /// Writes the file, replacing an existing one. Only its owner can read it, from its creation on.
    ///
    /// - Throws: an error whose description contains the path and the system's message.
    public func write(to file: URL) throws {
        let data = try data()
        guard file.isFileURL else { throw BodyFailure.unwritable(file.lastPathComponent, "is no file URL.") }
        try TemporaryFile(for: file, isPrivate: true).write(data)
    }
}
