import Logging
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// No whole answer arrived: what happened, to which request, in which attempt.
public struct TransportError: Error, MaskedValue {
    /// The kind of a ``TransportError``; new kinds may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        init(_ name: String) {
            description = name
        }

        /// The URL can't be used by the sender.
        public static let invalidUrl = Code("invalidUrl")
        /// The request can't be sent as it is: its method or a header would break the rules of HTTP.
        public static let invalidRequest = Code("invalidRequest")
        /// There is no network: no route leads out, or a name couldn't be resolved for lack of one.
        public static let noNetwork = Code("noNetwork")
        /// The host's name has no address.
        public static let hostNotFound = Code("hostNotFound")
        /// The host refused the connection: nothing listens there.
        public static let connectionRefused = Code("connectionRefused")
        /// The connection could not be made for another reason.
        public static let cannotConnect = Code("cannotConnect")
        /// The connection was not made in time.
        public static let connectTimedOut = Code("connectTimedOut")
        /// The whole request took longer than it may.
        public static let requestTimedOut = Code("requestTimedOut")
        /// The time for all attempts of a request has passed.
        public static let deadlinePassed = Code("deadlinePassed")
        /// No data moved for longer than may be, or less than `limits.lowestSpeed` asks for.
        public static let stalled = Code("stalled")
        /// The connection broke before an answer came.
        public static let connectionLost = Code("connectionLost")
        /// The server closed the connection without any answer.
        public static let emptyResponse = Code("emptyResponse")
        /// The answer ended too early: the connection before the whole of it had arrived, or its compressed data before
        /// their own end.
        public static let truncatedResponse = Code("truncatedResponse")
        /// What came is no HTTP answer.
        public static let invalidResponse = Code("invalidResponse")
        /// The server broke the rules of HTTP/2.
        public static let protocolViolation = Code("protocolViolation")
        /// The body could not be decompressed: it is damaged, in an unknown form, or goes on after its end.
        public static let invalidContentEncoding = Code("invalidContentEncoding")
        /// The body is larger than the configuration allows.
        public static let responseTooLarge = Code("responseTooLarge")
        /// The headers are larger than the configuration allows.
        public static let headersTooLarge = Code("headersTooLarge")
        /// More redirects than the configuration allows.
        public static let tooManyRedirects = Code("tooManyRedirects")
        /// A redirect leads from https to http, or to another scheme, which isn't followed.
        public static let insecureRedirect = Code("insecureRedirect")
        /// The TLS handshake failed.
        public static let tlsFailed = Code("tlsFailed")
        /// The server's certificate is not trusted, expired or not made out for the host.
        public static let certificateRejected = Code("certificateRejected")
        /// The server's key is none of the pinned ones.
        public static let pinMismatch = Code("pinMismatch")
        /// The client certificate could not be used, or the server wants one.
        public static let clientCertificateFailed = Code("clientCertificateFailed")
        /// The TLS settings can't be used: a file of authorities that can't be read, for instance.
        public static let tlsConfiguration = Code("tlsConfiguration")
        /// The proxy could not be reached or refused.
        public static let proxyFailed = Code("proxyFailed")
        /// The body could not be read while it was sent.
        public static let uploadFailed = Code("uploadFailed")
        /// The body is a stream that brought fewer or more bytes than were announced.
        public static let bodyLengthMismatch = Code("bodyLengthMismatch")
        /// The body is a stream, which was read before and can't be sent again.
        public static let bodyAlreadySent = Code("bodyAlreadySent")
        /// The file that the body should go to can't be written: the reason names its path.
        public static let destinationFailed = Code("destinationFailed")
        /// The sender was closed, or belongs to the process that this one was forked from: a sender that is made after
        /// the fork, and given to chains with `sender(_:)`, works.
        public static let senderClosed = Code("senderClosed")
        /// The sender itself failed, as by lack of memory.
        public static let internalFailure = Code("internalFailure")
    }

    // One reference: beside the usual end of a transfer, its answer, the error would make every result large.
    private struct Members: Sendable {
        let code: Code
        let method: HttpMethod
        let url: String
        let attempt: Int
        let redirects: Int
        let reason: String
        let cause: (any Error)?
        var metrics: TransferMetrics?
    }

    private var storage: CopyOnWrite<Members>

    /// What happened.
    public var code: Code { storage.members.code }

    /// The method of the request.
    public var method: HttpMethod { storage.members.method }

    /// The URL of the request, secrets masked.
    public var url: String { storage.members.url }

    /// Which sending of the same request it was, counted from 1.
    public var attempt: Int { storage.members.attempt }

    /// How many redirects had been followed: where there were any, servers have got the request before.
    public var redirects: Int { storage.members.redirects }

    /// What happened, in words; secrets masked.
    public var reason: String { storage.members.reason }

    /// The error behind this one: what libcurl or the system said.
    public var cause: (any Error)? { storage.members.cause }

    /// What the attempt had cost when it failed, as far as the sender knows; nil where it knows nothing, as of a request
    /// that was never begun.
    public var metrics: TransferMetrics? {
        get { storage.members.metrics }
        _modify { yield &storage.members.metrics }
    }

    /// Creates the error.
    public init(
        _ code: Code, of request: HttpRequest, redirects: Int = 0, reason: String, cause: (any Error)? = nil,
        metrics: TransferMetrics? = nil
    ) {
        let redaction = request.options.redaction
        storage = CopyOnWrite(
            Members(
                code: code, method: request.method, url: redaction.url(request.url.absoluteString),
                attempt: request.attempt, redirects: redirects, reason: redaction.text(reason), cause: cause,
                metrics: metrics))
    }

    /// What happened to which request, in one line.
    public var description: String {
        let attempts = attempt > 1 ? " (attempt \(attempt))" : ""
        return "\(method) \(url)\(attempts) failed: \(reason) [\(code)]"
    }
}

extension TransportError: NetChainFailure {
    /// Whether there is no network.
    public var isOffline: Bool { code == .noNetwork }

    /// Whether a connection, an attempt, the next byte or all attempts took too long.
    public var isTimeout: Bool {
        [.connectTimedOut, .requestTimedOut, .stalled, .deadlinePassed].contains(code)
    }

    /// Whether the request failed on its way, so that it may succeed later.
    public var isRetryable: Bool {
        isOffline || isTimeout
            || [
                .hostNotFound, .connectionRefused, .cannotConnect, .connectionLost, .emptyResponse, .truncatedResponse,
            ].contains(code)
    }
}
