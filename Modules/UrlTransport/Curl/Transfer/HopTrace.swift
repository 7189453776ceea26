#if os(Linux)
import CNetChainCurl
import HttpMessages

/// Records what libcurl sends in a hop, and when. Only libcurl knows the headers that it adds, so its debug callback
/// reports each piece of data.
struct HopTrace {
    let hopLog: HopLog
    /// The head of the request as libcurl sent it.
    private(set) var sentHead: [UInt8] = []
    private(set) var lastSent: ContinuousClock.Instant?
    /// The status line of the last head.
    var statusLine: [UInt8] = []

    /// Returns nil without an open log.
    init?(_ hopLog: HopLog?) {
        guard let hopLog, hopLog.isOpen else { return nil }
        self.hopLog = hopLog
    }

    mutating func didSend(_ type: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        switch type {
        case CURLINFO_HEADER_OUT:
            // Another head after a complete one: the request after CONNECT, or the same request over another
            // connection.
            if sentHead.suffix(4).elementsEqual("\r\n\r\n".utf8) { sentHead = [] }
            sentHead.append(contentsOf: bytes)
            lastSent = .now
        case CURLINFO_DATA_OUT: lastSent = .now
        default: break
        }
    }

    /// Writes the result of the hop to the log.
    ///
    /// - Parameters:
    ///   - response: the response as received, complete or not.
    ///   - headerBytes: bytes of the response's fields.
    func write(_ response: HttpResponse?, _ failure: TransportError?, headerBytes: Int) {
        let wentToProxy = sentHead.starts(with: "CONNECT ".utf8)
        hopLog.end { hop in
            hop.sentHead = wentToProxy ? [] : sentHead
            hop.lastSent = lastSent
            hop.response = response
            hop.failure = failure
            hop.statusLine = response == nil ? [] : statusLine
            hop.responseHeadSize = statusLine.count + headerBytes + 2
        }
    }
}
#endif
