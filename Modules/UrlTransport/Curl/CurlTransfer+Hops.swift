#if os(Linux)
import CNetChainCurl

// What a recorder is told of each hop. libcurl knows alone which headers it adds, so it is asked to show what it sends,
// which costs a call for each piece of data and is done for a recorder only.
extension CurlTransfer {
    func watchSending(of easy: CurlEasyHandle, _ context: UnsafeMutableRawPointer) {
        netchain_set_debug_function(
            easy.raw,
            { _, type, bytes, count, context in
                CurlEasyHandle.withTransfer(of: context, else: 0) {
                    $0.noteSent(type, UnsafeRawBufferPointer(start: bytes, count: count))
                    return 0
                }
            }, context)
    }

    private func noteSent(_ type: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        switch type {
        case CURLINFO_HEADER_OUT:
            // A head after a whole one: the request after CONNECT, or the same once more over another connection.
            if sentHead.suffix(4).elementsEqual("\r\n\r\n".utf8) { sentHead = [] }
            sentHead.append(contentsOf: bytes)
            moments?.lastSent = .now
        case CURLINFO_DATA_OUT: moments?.lastSent = .now
        default: break
        }
    }

    /// Tells how the hop ended.
    func tell(_ hops: HopLog, _ ending: CurlEnding, _ result: CURLcode, _ easy: CurlEasyHandle) {
        var failure: TransportError?
        var answer: HttpResponse?
        switch ending {
        case .reconnect: return hops.discard()
        case .resend(let error): failure = error
        case .failure(let error):
            failure = error
            if hasWholeHead, !isInterim { answer = self.answer(easy) }
        case .redirect, .startAgain: answer = self.answer(easy)
        case .response(let response): answer = response
        }
        let wentToProxy = sentHead.starts(with: "CONNECT ".utf8)
        hops.end { hop in
            hop.sentHead = wentToProxy ? [] : sentHead
            hop.lastSent = moments?.lastSent
            hop.answer = answer
            hop.failure = failure
            hop.statusLine = answer == nil ? [] : statusLine
            hop.answerHeadSize = statusLine.count + headerBlock.bytes.count + 2
        }
    }
}
#endif
