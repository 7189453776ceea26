#if os(Linux)
import CNetChainCurl

/// What a recorder learns of a hop beside the request and the response. Only libcurl knows which headers it adds, so it
/// reports all that it sends: a call for each piece of data.
struct HopTrace {
    let recorder: HopLog
    /// The head of the request as libcurl sent it.
    private(set) var sentHead: [UInt8] = []
    /// When the last byte of the request was sent.
    private(set) var lastSent: ContinuousClock.Instant?
    /// The status line of the last head.
    var statusLine: [UInt8] = []

    /// nil without an open recorder.
    init?(_ recorder: HopLog?) {
        guard let recorder, recorder.isOpen else { return nil }
        self.recorder = recorder
    }

    mutating func didSend(_ type: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        switch type {
        case CURLINFO_HEADER_OUT:
            // Another head after a complete one: the request after CONNECT, or the same over another connection.
            if sentHead.suffix(4).elementsEqual("\r\n\r\n".utf8) { sentHead = [] }
            sentHead.append(contentsOf: bytes)
            lastSent = .now
        case CURLINFO_DATA_OUT: lastSent = .now
        default: break
        }
    }

    /// Writes how the hop ended.
    ///
    /// - Parameters:
    ///   - response: what was received, maybe not all of the body.
    ///   - headerBytes: bytes of the response's fields.
    func write(_ response: HttpResponse?, _ failure: TransportError?, headerBytes: Int) {
        let wentToProxy = sentHead.starts(with: "CONNECT ".utf8)
        recorder.end { hop in
            hop.sentHead = wentToProxy ? [] : sentHead
            hop.lastSent = lastSent
            hop.answer = response
            hop.failure = failure
            hop.statusLine = response == nil ? [] : statusLine
            hop.answerHeadSize = statusLine.count + headerBytes + 2
        }
    }
}
#endif
