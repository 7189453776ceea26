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
    var hop: RawUrlRequest
    var easy: CurlEasyHandle?
    var redirects = 0

    var bodyReader: CurlBodyReader
    var headerBlock = HeaderBlock()
    /// Bytes of header lines of this hop, interim answers included.
    var headerSize = 0
    var hasWholeHead = false
    var body = Data()
    /// What made a callback end the transfer; it says more than libcurl's code for that.
    var failure: (code: TransportError.Code, reason: String)?
    var lastProgress = ContinuousClock.now

    init(_ request: RawUrlRequest, configuration: SenderConfiguration) {
        self.request = request
        self.configuration = configuration
        hop = request
        origin = Origin(request.url)
        bodyReader = CurlBodyReader(request.body)
    }

    /// Forgets what the last hop brought.
    func beginHop(_ next: RawUrlRequest) {
        hop = next
        bodyReader = CurlBodyReader(next.body)
        headerBlock = HeaderBlock()
        headerSize = 0
        hasWholeHead = false
        body = Data()
        failure = nil
    }

    /// How long the request may still take; nil for no limit.
    var remainingTime: Duration? {
        (request.options.timeout ?? configuration.timeouts.request).map { $0 - (.now - start) }
    }

    func fail(_ code: TransportError.Code, _ reason: String, cause: (any Error)? = nil) {
        context.emit(error: TransportError(code, of: request, reason: reason, cause: cause))
    }
}
#endif
