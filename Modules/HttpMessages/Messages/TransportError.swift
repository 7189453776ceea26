import Logging
public import NodeCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The error of a request that got no complete response.
public struct TransportError: Error, MaskedValue {
    /// The kind of a ``TransportError``. Later versions may add kinds.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        init(_ name: String) {
            description = name
        }

        /// The sender can't use the URL.
        public static let invalidUrl = Code("invalidUrl")
        /// The request is invalid: its method, a header or its body violates HTTP, or its Unix domain socket can't be
        /// used.
        public static let invalidRequest = Code("invalidRequest")
        /// There is no network: the system has no route, neither for a connection nor for a name lookup.
        public static let noNetwork = Code("noNetwork")
        /// The host name doesn't resolve.
        public static let hostNotFound = Code("hostNotFound")
        /// The host refused the connection: no process listens on the port, or on the Unix domain socket.
        public static let connectionRefused = Code("connectionRefused")
        /// The connection failed for another reason.
        public static let cannotConnect = Code("cannotConnect")
        /// The connection was not established in time.
        public static let connectTimedOut = Code("connectTimedOut")
        /// The whole request exceeded its time limit.
        public static let requestTimedOut = Code("requestTimedOut")
        /// The time limit for all attempts of the request was exceeded.
        public static let deadlinePassed = Code("deadlinePassed")
        /// No byte moved for too long, or the transfer was slower than libcurl's `minimumThroughput`.
        public static let stalled = Code("stalled")
        /// The connection was lost before a response arrived, maybe in the TLS handshake: the server closed or reset it.
        public static let connectionLost = Code("connectionLost")
        /// The response is incomplete: the connection was closed early, or the compressed data are truncated.
        public static let truncatedResponse = Code("truncatedResponse")
        /// The received data are no valid HTTP response.
        public static let invalidResponse = Code("invalidResponse")
        /// The server violated HTTP/2, says that the request does, or requires HTTP/1.1.
        public static let protocolViolation = Code("protocolViolation")
        /// The body can't be decompressed: it is damaged, in an unknown coding, or has data after its end.
        public static let invalidContentEncoding = Code("invalidContentEncoding")
        /// The body is larger than the configuration allows.
        public static let responseTooLarge = Code("responseTooLarge")
        /// The headers are larger than the configuration allows.
        public static let headersTooLarge = Code("headersTooLarge")
        /// The request was redirected more often than the configuration allows.
        public static let tooManyRedirects = Code("tooManyRedirects")
        /// A redirect from https to http, or to another scheme, was not followed.
        public static let insecureRedirect = Code("insecureRedirect")
        /// The TLS handshake failed. One that ends without a message of TLS is ``connectionLost``.
        public static let tlsFailed = Code("tlsFailed")
        /// The certificate of the server or the proxy is not trusted, is expired, or doesn't match the host.
        public static let certificateRejected = Code("certificateRejected")
        /// The server's key matches none of the pins.
        public static let pinMismatch = Code("pinMismatch")
        /// The client certificate can't be used, or the server rejects it or requires one.
        public static let clientCertificateFailed = Code("clientCertificateFailed")
        /// The TLS settings can't be used, such as a file of authorities that can't be read.
        public static let tlsConfiguration = Code("tlsConfiguration")
        /// The proxy could not be reached, rejected the request, or closed the connection before there was a tunnel.
        public static let proxyFailed = Code("proxyFailed")
        /// The body could not be read while it was being sent.
        public static let uploadFailed = Code("uploadFailed")
        /// The stream of the body supplied fewer or more bytes than announced.
        public static let bodyLengthMismatch = Code("bodyLengthMismatch")
        /// The body is a stream that was already read and can't be sent again.
        public static let bodyAlreadySent = Code("bodyAlreadySent")
        /// The file for the body can't be written. The reason names its path.
        public static let destinationFailed = Code("destinationFailed")
        /// The sender was closed.
        public static let senderClosed = Code("senderClosed")
        /// The sender itself failed, for example because of insufficient memory.
        public static let internalFailure = Code("internalFailure")
    }

    /// Whether a server has processed the request of a failed sending.
    public enum Processing: Hashable, Sendable {
        /// No server has: nothing of the request was sent, or the server said so (RFC 9113 §8.7). It can be sent again,
        /// whatever its method.
        case no
        /// The request was sent, or a part of it, and no response shows what became of it.
        case unknown
        /// A server responded.
        case yes
    }

    // One reference: stored inline, the error would enlarge every `Result` of a transfer.
    private struct Members: Sendable {
        let code: Code
        let method: HttpMethod
        let url: String
        let attempt: Int
        let redirects: Int
        var reason: String
        var wasProcessed: Processing
        let cause: (any Error)?
        var metrics: TransferMetrics?
        var hasProgressed = false
        var hasLostConnection: Bool
    }

    private var storage: CopyOnWrite<Members>

    /// The kind of the error.
    public var code: Code { storage.members.code }

    /// The method of the request.
    public var method: HttpMethod { storage.members.method }

    /// The URL of the request, with secrets masked.
    public var url: String { storage.members.url }

    /// The number of the failed sending, counted from 1.
    public var attempt: Int { storage.members.attempt }

    /// The number of redirects that were followed. If it is not zero, servers have received the request.
    public var redirects: Int { storage.members.redirects }

    /// What happened, with secrets masked.
    public var reason: String { storage.members.reason }

    /// Whether a server has processed the request, as far as the sender knows. Of a request that was sent again, an earlier
    /// sending may have been.
    public var wasProcessed: Processing { storage.members.wasProcessed }

    /// The underlying error of libcurl or the system.
    public var cause: (any Error)? { storage.members.cause }

    /// The metrics of the failed attempt, as far as the sender knows them; nil for a request that was not started.
    public var metrics: TransferMetrics? {
        get { storage.members.metrics }
        _modify { yield &storage.members.metrics }
    }

    /// Whether the failed attempt of a resumed download has received a part of the file, which the next one continues.
    package var hasProgressed: Bool {
        get { storage.members.hasProgressed }
        _modify { yield &storage.members.hasProgressed }
    }

    /// Whether the connection or the stream ended before a response, so that another sending may succeed at once.
    package var hasLostConnection: Bool {
        get { storage.members.hasLostConnection }
        _modify { yield &storage.members.hasLostConnection }
    }

    /// Creates the error. Without `wasProcessed`, the code decides.
    public init(
        _ code: Code, of request: HttpRequest, redirects: Int = 0, reason: String,
        wasProcessed: Processing? = nil, cause: (any Error)? = nil, metrics: TransferMetrics? = nil
    ) {
        let redaction = request.options.redaction
        // The server of an earlier hop has processed it.
        let isUnknown = redirects > 0 && code.processing == .no
        storage = CopyOnWrite(
            Members(
                code: code, method: request.method, url: redaction.url(request.url.absoluteString),
                attempt: request.attempt, redirects: redirects, reason: redaction.text(reason),
                wasProcessed: wasProcessed ?? (isUnknown ? .unknown : code.processing), cause: cause,
                metrics: metrics, hasLostConnection: code == .connectionLost))
    }

    /// The error of a request of which a server may have processed an earlier sending.
    package var afterEarlierSending: TransportError {
        guard wasProcessed == .no else { return self }
        var error = self
        error.storage.members.wasProcessed = .unknown
        error.storage.members.reason += "; a server may have processed an earlier attempt"
        return error
    }

    /// The request and the error, in one line.
    public var description: String {
        let attempts = attempt > 1 ? " (attempt \(attempt))" : ""
        return "\(method) \(url)\(attempts) failed: \(reason) [\(code)]"
    }
}

extension TransportError.Code {
    /// What the code says of the processing of a request that was not redirected.
    package var processing: TransportError.Processing {
        switch self {
        case .invalidUrl, .invalidRequest, .noNetwork, .hostNotFound, .connectionRefused, .cannotConnect,
            .connectTimedOut, .tlsFailed, .certificateRejected, .pinMismatch, .clientCertificateFailed,
            .tlsConfiguration,
            .proxyFailed:
            .no
        case .truncatedResponse, .responseTooLarge, .headersTooLarge, .invalidContentEncoding, .tooManyRedirects,
            .insecureRedirect, .destinationFailed:
            .yes
        default: .unknown
        }
    }
}

extension TransportError: NetChainFailure {
    /// The name of the code.
    public var errorType: String { code.description }

    /// Whether there is no network.
    public var isOffline: Bool { code == .noNetwork }

    /// Whether a connection, an attempt, the next byte or all attempts exceeded a time limit.
    public var isTimeout: Bool {
        [.connectTimedOut, .requestTimedOut, .stalled, .deadlinePassed].contains(code)
    }

    /// Whether the request failed in transit, so that it may succeed later.
    public var isRetryable: Bool {
        isOffline || isTimeout
            || [
                .hostNotFound, .connectionRefused, .cannotConnect, .connectionLost, .truncatedResponse,
            ].contains(code)
    }
}
