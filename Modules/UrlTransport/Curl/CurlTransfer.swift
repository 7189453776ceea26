#if os(Linux)
import CNetChainCurl
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One request on its way: what is sent, what has come, and who waits for it.
///
/// Made on the caller's thread; from its submission on, all that changes belongs to the loop's thread alone.
final class CurlTransfer: @unchecked Sendable {  // confined to the loop's thread after its submission; the rest is let
    let request: RawUrlRequest
    let context = Context<UrlDataResponse>()
    let configuration: SenderConfiguration
    let origin: Origin
    let start = ContinuousClock.now

    /// What is sent now: the request itself, or what a redirect made of it.
    var hop: CurlHop
    var easy: CurlEasyHandle?
    var redirects = 0
    /// How often this hop was sent, as far as libcurl told.
    var sendings = 0
    /// The sockets of the loop that the transfer runs on, and the one that the hop was sent over last.
    var sockets: CurlSockets?
    var descriptor: Int32?
    /// Whether the connection that the hop should have gone over was no good any more, so that nothing was sent.
    var isConnectionSpoiled = false
    /// Whether the connection died without an answer and libcurl was kept from sending the hop again.
    var hasLostConnection = false
    /// Whether this hop is sent again, after its connection died, and needs a new one.
    var isSecondTry = false

    var bodyReader: CurlBodyReader
    var headerBlock = HeaderBlock()
    /// Bytes of header lines of this hop, interim answers included.
    var headerSize = 0
    var hasWholeHead = false
    /// Whether the head that came last is of an interim answer, 1xx.
    var isInterim = false
    var body = Data()
    /// What made a callback end the transfer; it says more than libcurl's code for that.
    var failure: (code: TransportError.Code, reason: String)?
    var lastProgress = ContinuousClock.now
    /// When this hop was handed to libcurl, and when the first byte of its answer came.
    var hopStart = ContinuousClock.now
    var firstByte: ContinuousClock.Instant?

    init(_ request: RawUrlRequest, configuration: SenderConfiguration) {
        self.request = request
        self.configuration = configuration
        hop = CurlHop(request)
        origin = Origin(request.url)
        bodyReader = CurlBodyReader(request.body)
    }

    /// Forgets what the last hop brought.
    func beginHop(_ next: CurlHop) {
        hop = next
        bodyReader = CurlBodyReader(next.body)
        headerBlock = HeaderBlock()
        headerSize = 0
        hasWholeHead = false
        isInterim = false
        body = Data()
        failure = nil
        firstByte = nil
        sendings = 0
        hasLostConnection = false
        isConnectionSpoiled = false
        descriptor = nil
        isSecondTry = false
    }

    /// When the request has taken too long; nil for no limit.
    var deadline: ContinuousClock.Instant? {
        (request.options.timeout ?? configuration.timeouts.request).map { start + $0 }
    }

    /// How long the request may still take; nil for no limit.
    var remainingTime: Duration? {
        deadline.map { $0 - .now }
    }

    func fail(_ code: TransportError.Code, _ reason: String, cause: (any Error)? = nil) {
        context.emit(error: TransportError(code, of: request, reason: reason, cause: cause))
    }
}

/// Scheme, host and port: what connections and secrets belong to (RFC 6454).
struct Origin: Hashable {
    let scheme: String
    let host: String
    let port: Int

    init(_ url: URL) {
        scheme = url.scheme?.lowercased() ?? ""
        host = url.host?.lowercased() ?? ""
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// The origin that libcurl would connect to; nil for what it takes for no URL of HTTP.
    init?(asLibcurlReads text: String) {
        guard let parser = curl_url() else { return nil }
        defer { curl_url_cleanup(parser) }
        guard curl_url_set(parser, CURLUPART_URL, text, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parser), let host = Self.part(CURLUPART_HOST, of: parser),
            let port = Self.part(CURLUPART_PORT, of: parser).flatMap({ Int($0) })
        else { return nil }
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port
    }

    private static func part(_ part: CURLUPart, of parser: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        defer { curl_free(text) }
        guard curl_url_get(parser, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK else { return nil }
        return text.map { String(cString: $0) }
    }
}

/// One message to one URL.
struct CurlHop {
    var method: Method
    var url: String
    var headers: HttpHeaders
    var body: RequestBody

    init(_ request: RawUrlRequest) {
        method = request.method
        url = request.url.absoluteString
        headers = request.headers
        body = request.body
    }

    var isHttps: Bool {
        url.prefix(6).lowercased() == "https:"
    }

    /// Whether a server may get it twice without harm (RFC 9110 §9.2.2), or can tell that it's the same again
    /// (draft-ietf-httpapi-idempotency-key-header).
    var mayBeSentTwice: Bool {
        method.isIdempotent || headers["Idempotency-Key"] != nil
    }
}
#endif
