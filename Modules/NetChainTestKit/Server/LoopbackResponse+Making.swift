#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LoopbackResponse {
    /// A status without a body.
    public static func status(_ status: Int, headers: LoopbackHeaders = [:]) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: headers)
    }

    /// JSON text, sent as it is with `Content-Type: application/json`, or the type that `headers` name.
    public static func json(_ text: String, status: Int = 200, headers: LoopbackHeaders = [:]) -> LoopbackResponse {
        bytes(Array(text.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// Text with `Content-Type: text/plain; charset=utf-8`, or the type that `headers` name.
    public static func text(_ text: String, status: Int = 200, headers: LoopbackHeaders = [:]) -> LoopbackResponse {
        bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Text with `Content-Type: text/html; charset=utf-8`, or the type that `headers` name.
    public static func html(_ text: String, status: Int = 200, headers: LoopbackHeaders = [:]) -> LoopbackResponse {
        bytes(Array(text.utf8), contentType: "text/html; charset=utf-8", status: status, headers: headers)
    }

    /// Data with a content type.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200,
        headers: LoopbackHeaders = [:]
    ) -> LoopbackResponse {
        bytes(Array(data), contentType: contentType, status: status, headers: headers)
    }

    /// The bytes of a file, read now.
    ///
    /// - Throws: Foundation's error where the file can't be read.
    public static func file(
        _ file: URL, contentType: String = "application/octet-stream", status: Int = 200,
        headers: LoopbackHeaders = [:]
    ) throws -> LoopbackResponse {
        data(try Data(contentsOf: file), contentType: contentType, status: status, headers: headers)
    }

    /// Bytes with a content type, unless `headers` name one.
    public static func bytes(
        _ bytes: [UInt8], contentType: String = "application/octet-stream", status: Int = 200,
        headers: LoopbackHeaders = [:]
    ) -> LoopbackResponse {
        var headers = headers
        if headers["Content-Type"] == nil {
            headers.fields.insert(LoopbackHeaders.Field(name: "Content-Type", value: contentType), at: 0)
        }
        return LoopbackResponse(status: status, headers: headers, body: .bytes(bytes))
    }

    /// A redirect to `location`, which is sent as it is.
    public static func redirect(to location: String, status: Int = 302) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: ["Location": location])
    }

    /// Text in chunked coding, each element one chunk (an empty element is left out, it would end the body).
    /// - Parameters:
    ///   - chunks: the text of each chunk.
    ///   - contentType: the answer's Content-Type.
    ///   - isTerminated: false leaves the last chunk out; together with ``closing()`` the body is cut short.
    public static func chunked(
        _ chunks: [String], contentType: String = "text/plain; charset=utf-8", isTerminated: Bool = true
    ) -> LoopbackResponse {
        LoopbackResponse(
            status: 200, headers: ["Content-Type": contentType],
            body: .chunks(chunks.map { Array($0.utf8) }, isTerminated: isTerminated))
    }

    /// A body of `length` bytes made of `block` over and over, without the memory for it.
    public static func repeating(_ block: [UInt8], length: Int) -> LoopbackResponse {
        LoopbackResponse(
            status: 200, headers: ["Content-Type": "application/octet-stream"], body: .repeating(block, length: length))
    }

    /// A body without an end, until the client closes: framed by the connection's end, or chunked.
    public static func endlessBody(
        _ block: [UInt8] = Array(repeating: 0x61, count: 16_384), isChunked: Bool = false
    ) -> LoopbackResponse {
        LoopbackResponse(
            status: 200, headers: ["Content-Type": "application/octet-stream"],
            body: isChunked ? .endlessChunks(block) : .repeating(block, length: nil))
    }

    /// Sets a header, in place of those of the same name. A `Content-Length` given here is sent instead of the true one.
    public func header(_ name: String, _ value: String) -> LoopbackResponse {
        changed { $0.headers[name] = value }
    }

    /// Adds a header line beside those of the same name, as for several cookies.
    public func addingHeader(_ name: String, _ value: String) -> LoopbackResponse {
        changed { $0.headers.add(name, value) }
    }

    /// Waits before the first byte.
    public func delayed(by delay: Duration) -> LoopbackResponse {
        changed { $0.flow.delay = delay }
    }

    /// Sends `bytes` bytes at a time and pauses between them.
    public func dripping(_ bytes: Int, every interval: Duration) -> LoopbackResponse {
        changed { $0.flow.pace = (max(1, bytes), interval) }
    }

    /// Sends these bytes straight after the answer, which they are no part of; in one write with it where it's small.
    public func followed(by bytes: [UInt8]) -> LoopbackResponse {
        changed { $0.flow.extra = bytes }
    }

    /// Closes the connection (FIN) after the answer, without announcing it in a header.
    public func closing() -> LoopbackResponse {
        changed { $0.flow.end = .close }
    }

    /// Resets the connection (RST) after the answer.
    public func resetting() -> LoopbackResponse {
        changed { $0.flow.end = .reset }
    }

    /// Sends the first `count` bytes of the answer, status line and headers counted, then closes (FIN).
    public func closing(afterBytes count: Int) -> LoopbackResponse {
        cut(at: count, then: .close)
    }

    /// Sends the first `count` bytes of the answer, status line and headers counted, then resets (RST). What the
    /// client has not read by then, its system may throw away.
    public func resetting(afterBytes count: Int) -> LoopbackResponse {
        cut(at: count, then: .reset)
    }

    /// Sends the first `count` bytes of the answer, status line and headers counted, and then nothing more; the
    /// connection stays open.
    public func stalling(afterBytes count: Int) -> LoopbackResponse {
        cut(at: count, then: .stall)
    }

    /// Sends the status line and half of the headers' bytes, then closes (FIN).
    public func closingInsideHead() -> LoopbackResponse {
        changed {
            $0.flow.isCutInHead = true
            $0.flow.end = .close
        }
    }

    private func cut(at count: Int, then end: Flow.End) -> LoopbackResponse {
        changed {
            $0.flow.limit = max(0, count)
            $0.flow.end = end
        }
    }

    private func changed(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
        var copy = self
        change(&copy)
        return copy
    }
}
