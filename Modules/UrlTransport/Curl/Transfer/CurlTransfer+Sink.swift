#if os(Linux)
import CNetChainCurl

// Where the body of a response goes.
extension CurlTransfer {
    /// Returns the sink for a response with a complete head. It is the request's destination for a success, and memory
    /// for other responses.
    ///
    /// Returns nil if the response doesn't fit the partial file.
    func makeSink(_ easy: CurlEasyHandle) -> ResponseSink? {
        switch request.options.destination {
        case .memory: return memory(easy)
        case _ where hop.request.method == .head: return memory(easy)
        case .file(let url, _):
            guard let partial = files.partial else {
                // 204 and 205 have no content (RFC 9110 §15.3.5), so the file stays as it is.
                guard hop.isSuccess, hop.phase.status != 204, hop.phase.status != 205 else { return memory(easy) }
                return .file(FileWriter(TemporaryFile(for: url), onRoom: resumes), isComplete: false)
            }
            switch partial.verdict(status: hop.phase.status, HttpHeaders(block: hop.headers), from: hop.origin) {
            case .refused: return memory(easy)
            case .write, .whole:
                return .file(FileWriter(partial, onRoom: resumes), isComplete: hop.phase.status == 416)
            case .startAgain: return nil
            }
        case .stream:
            guard hop.isSuccess else { return memory(easy) }
            let buffer = ByteBuffer(
                onRoom: resumes,
                onAbandon: { [weak self, loop] in
                    if let self { loop?.post(.cancel(self)) }
                })
            return .stream(buffer)
        }
    }

    private func memory(_ easy: CurlEasyHandle) -> ResponseSink {
        let isHead = hop.request.method == .head
        return .memory(
            MemorySink(
                limit: configuration.limits.responseSize,
                expected: isHead ? -1 : easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)))
    }
}
#endif
