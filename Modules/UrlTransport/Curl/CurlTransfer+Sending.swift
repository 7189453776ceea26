#if os(Linux)
import CNetChainCurl

// How a request's body is sent. The transfer pauses while a file or a sequence has nothing yet.
extension CurlTransfer {
    /// What libcurl's read callback returns.
    func sendBody(into buffer: UnsafeMutableRawBufferPointer) throws(BodyFailure) -> Int {
        if let count = try bodyReader.read(into: buffer, onReady: resumes) { return count }
        // libcurl counts a pause of the sending as a stall, unlike one of the receiving.
        if let easy { setStallLimit(of: easy, isOn: false) }
        return Int(CURL_READFUNC_PAUSE)
    }

    /// Resumes the transfer after a pause. May be called by any thread.
    var resumes: @Sendable () -> Void {
        { [weak self, loop] in
            if let self { loop?.resume(self) }
        }
    }

    /// How much of the body was sent. What libcurl counts of a body in chunks includes their frames.
    func bytesSent(_ counted: Int64) -> Int64 {
        hop.body.length == nil ? bodyReader.streamed : counted
    }

    /// Resumes a pause, which waited for a piece of the request's body or for the reader of the response's.
    func unpause(_ easy: CurlEasyHandle) -> CURLcode {
        if bodyReader.mayWait { setStallLimit(of: easy, isOn: true) }
        return curl_easy_pause(easy.raw, CURLPAUSE_CONT)
    }

    // MARK: An answer before the body's end

    /// Whether the server refuses, or sends elsewhere, before the body has gone out: it won't read on.
    var isRefused: Bool {
        hasWholeHead && !isInterim && status >= 300
    }

    /// Whether the head said how long the answer's body is.
    var hasAnswerLength: Bool {
        easy.map { $0.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) >= 0 } ?? false
    }

    /// libcurl stops sending when a server refuses, unless the server closes the connection; and while the sending
    /// pauses it waits for it even then. So it's told to look again with each piece of the answer.
    func stopSending() {
        guard let easy, isRefused else { return }
        // Off while the body had nothing. It is not waited for any more.
        if bodyReader.mayWait { setStallLimit(of: easy, isOn: true) }
        let length = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        isAnswerWhole = length >= 0 && easy.offset(CURLINFO_SIZE_DOWNLOAD_T) >= length
        curl_easy_pause(easy.raw, CURLPAUSE_CONT)
    }

    /// Goes back in the body where libcurl wants to send it again; false when it's a stream that was read.
    func rewindBody(to offset: Int64) -> Bool {
        if bodyReader.seek(to: offset) { return true }
        // Before any response it is a connection that died: libcurl 8 rewinds before it asks for another one.
        guard headerSize > 0 else {
            hasLostConnection = true
            return false
        }
        failure = (.bodyAlreadySent, "the body would have to be sent again, and is a stream that was read")
        return false
    }
}
#endif
