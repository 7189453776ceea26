#if os(Linux)
import CNetChainCurl

// The body as its framing says (RFC 9112 §6, §7).
extension CurlTransfer {
    /// Takes a piece of the body without its framing; what libcurl's write callback returns.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let partSize = framing?.partSize, bodySize + Int64(bytes.count) > partSize {
            failure = (.invalidResponse, "the body is larger than its Content-Range, \(partSize) bytes")
            return 0
        }
        let result = decoding.map { decode(bytes, by: $0) } ?? take(bytes)
        if result == bytes.count { bodySize += Int64(bytes.count) }
        return result
    }

    /// Takes a piece of a body in chunks, with their sizes; what libcurl's write callback returns. libcurl hands the piece
    /// over again after a pause.
    func receiveChunks(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard var chunks else { return 0 }
        var input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(chunkBytesTaken))
        do throws(ResponseFraming.Violation) {
            while true {
                let (before, left) = (chunks, input.count)
                guard let data = try chunks.next(from: &input) else { break }
                let result = receiveBody(data)
                if result == data.count { continue }
                self.chunks = before
                chunkBytesTaken = max(chunkBytesTaken, bytes.count - left)
                return result
            }
        } catch {
            failure = (error.code, error.reason)
            return 0
        }
        self.chunks = chunks
        chunkBytesTaken = max(0, chunkBytesTaken - bytes.count)
        return bytes.count
    }

    /// How many bytes of the body have come. Of chunks, some versions of libcurl count their sizes, too.
    func bytesReceived(_ counted: Int64) -> Int64 {
        chunks == nil ? counted : bodySize
    }

    /// Whether TLS has to say that the connection's end is the body's (RFC 9112 §9.8).
    var needsCloseNotify: Bool {
        hop.isHttps && framing?.bodyEnd == .connection && configuration.tls.requiresCloseNotify
    }

    /// Asks TLS, while there is a connection.
    func noteCloseNotify() {
        if needsCloseNotify, !hasCloseNotify, let easy { hasCloseNotify = netchain_has_close_notify(easy.raw) != 0 }
    }

    /// What is wrong with a body that has ended for libcurl; nil where it's whole.
    var incompleteness: (code: TransportError.Code, reason: String)? {
        if let chunks, !chunks.isWhole {
            return (.truncatedResponse, "the connection ended before the last chunk")
        }
        if needsCloseNotify, !hasCloseNotify {
            let reason =
                "the connection ended without a close_notify of TLS, so more may be missing; "
                + "tls.requiresCloseNotify = false accepts such a body"
            return (.truncatedResponse, reason)
        }
        if let decoding, decoding.isCut { return (.truncatedResponse, ContentDecodingError.cut.reason) }
        if let framing, let partSize = framing.partSize, framing.bodyEnd != .noBody, bodySize != partSize {
            let code = framing.bodyEnd == .connection ? TransportError.Code.truncatedResponse : .invalidResponse
            return (code, "the body has \(bodySize) bytes, and its Content-Range says \(partSize)")
        }
        return nil
    }
}
#endif
