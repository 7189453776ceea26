import HttpMessages
public import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LoopbackResponse {
    /// A status without a body.
    public static func status(_ status: Int, headers: HttpHeaders = [:]) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: headers)
    }

    /// JSON text, sent unchanged with `Content-Type: application/json`, or the type that `headers` name.
    public static func json(_ text: String, status: Int = 200, headers: HttpHeaders = [:]) -> LoopbackResponse {
        bytes(Array(text.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// A value as JSON, encoded now. A value that can't be encoded gives a 500 with the error.
    @_disfavoredOverload
    public static func json(
        _ value: some Encodable, status: Int = 200, headers: HttpHeaders = [:]
    ) -> LoopbackResponse {
        encoded { json(try Json(encoding: value) as Json, status: status, headers: headers) }
    }

    /// The response of `make`; a 500 with its error if a value can't be encoded.
    static func encoded(_ make: () throws -> LoopbackResponse) -> LoopbackResponse {
        do {
            return try make()
        } catch {
            return .text("The test's value can't be encoded: \(error)\n", status: 500)
        }
    }

    /// A literal of mixed values as JSON: `.json(["id": id, "name": "Ada", "team": nil])`.
    @_disfavoredOverload
    public static func json(
        _ members: BodyMembers, status: Int = 200, headers: HttpHeaders = [:]
    ) -> LoopbackResponse {
        json(members.values, status: status, headers: headers)
    }

    /// A literal of literals as JSON: `.json([["id": 1, "name": "Ada"]])`.
    @_disfavoredOverload
    public static func json(_ json: Json, status: Int = 200, headers: HttpHeaders = [:]) -> LoopbackResponse {
        bytes(Array(json.data), contentType: "application/json", status: status, headers: headers)
    }

    /// Text with `Content-Type: text/plain; charset=utf-8`, or the type that `headers` name.
    public static func text(_ text: String, status: Int = 200, headers: HttpHeaders = [:]) -> LoopbackResponse {
        bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Text with `Content-Type: text/html; charset=utf-8`, or the type that `headers` name.
    public static func html(_ text: String, status: Int = 200, headers: HttpHeaders = [:]) -> LoopbackResponse {
        bytes(Array(text.utf8), contentType: "text/html; charset=utf-8", status: status, headers: headers)
    }

    /// Data with a content type.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200,
        headers: HttpHeaders = [:]
    ) -> LoopbackResponse {
        bytes(Array(data), contentType: contentType, status: status, headers: headers)
    }

    /// The bytes of a file, read now.
    ///
    /// - Throws: Foundation's error if the file can't be read.
    public static func file(
        _ file: URL, contentType: String = "application/octet-stream", status: Int = 200,
        headers: HttpHeaders = [:]
    ) throws -> LoopbackResponse {
        data(try Data(contentsOf: file), contentType: contentType, status: status, headers: headers)
    }

    /// Bytes with a content type, unless `headers` name one.
    public static func bytes(
        _ bytes: [UInt8], contentType: String = "application/octet-stream", status: Int = 200,
        headers: HttpHeaders = [:]
    ) -> LoopbackResponse {
        var headers = headers
        if headers["Content-Type"] == nil {
            headers = HttpHeaders([HttpHeaders.Field(name: "Content-Type", value: contentType)] + headers.fields)
        }
        return LoopbackResponse(status: status, headers: headers, body: .bytes(bytes))
    }

    /// A redirect to `location`, which is sent unchanged.
    public static func redirect(to location: String, status: Int = 302) -> LoopbackResponse {
        LoopbackResponse(status: status, headers: ["Location": location])
    }

    /// Text in chunked coding, each element one chunk. An empty element is left out, because it would end the body.
    /// - Parameters:
    ///   - chunks: the text of each chunk.
    ///   - contentType: the response's Content-Type.
    ///   - isTerminated: false leaves out the last chunk. With ``closing(afterBytes:)`` the body is then truncated.
    public static func chunked(
        _ chunks: [String], contentType: String = "text/plain; charset=utf-8", isTerminated: Bool = true
    ) -> LoopbackResponse {
        LoopbackResponse(
            status: 200, headers: ["Content-Type": contentType],
            body: .chunks(chunks.map { Array($0.utf8) }, isTerminated: isTerminated))
    }

    /// A body of `length` bytes that repeats `block`. Memory use doesn't depend on the length.
    public static func repeating(_ block: [UInt8], length: Int) -> LoopbackResponse {
        LoopbackResponse(
            status: 200, headers: ["Content-Type": "application/octet-stream"], body: .repeating(block, length: length))
    }

    /// An endless body, until the client closes the connection: chunked, or ended by the close of the connection.
    public static func endlessBody(
        _ block: [UInt8] = Array(repeating: 0x61, count: 16_384), isChunked: Bool = false
    ) -> LoopbackResponse {
        LoopbackResponse(
            status: 200, headers: ["Content-Type": "application/octet-stream"],
            body: isChunked ? .endlessChunks(block) : .repeating(block, length: nil))
    }

    /// Sets a header, and replaces those of the same name. A `Content-Length` that is set here is sent instead of the
    /// true one.
    public func header(_ name: String, _ value: String) -> LoopbackResponse {
        changed { $0.headers[name] = value }
    }

    /// Adds a header line beside those of the same name, as for several cookies.
    public func addingHeader(_ name: String, _ value: String) -> LoopbackResponse {
        changed { $0.headers.add(name: name, value: value) }
    }

    /// Waits before the first byte of the response.
    public func delayed(by delay: Duration) -> LoopbackResponse {
        changed { $0.flow.delay = delay }
    }

    /// Sends `bytes` bytes at a time, with a pause of `interval` after each.
    public func dripping(_ bytes: Int, every interval: Duration) -> LoopbackResponse {
        changed { $0.flow.pace = (max(1, bytes), interval) }
    }

    /// Pauses for `interval` between two chunks of a body that is sent in chunks, such as events and lines.
    public func pausing(_ interval: Duration) -> LoopbackResponse {
        changed { $0.flow.chunkInterval = interval }
    }

    /// Sends these bytes directly after the response, outside of it. With a small response they are sent in one write.
    public func followed(by bytes: [UInt8]) -> LoopbackResponse {
        changed { $0.flow.extra = bytes }
    }

    /// Closes the connection (FIN) after the first `count` bytes of the response, status line and headers included;
    /// after all of it if `count` is nil. Doesn't add a `Connection: close` header.
    public func closing(afterBytes count: Int? = nil) -> LoopbackResponse {
        cut(at: count, then: .close)
    }

    /// Resets the connection (RST) after the first `count` bytes of the response, status line and headers included;
    /// after all of it if `count` is nil. The client's system may discard bytes that the client has not read.
    public func resetting(afterBytes count: Int? = nil) -> LoopbackResponse {
        cut(at: count, then: .reset)
    }

    /// Sends the first `count` bytes of the response, status line and headers included, then nothing more. The
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

    private func cut(at count: Int?, then end: Flow.End) -> LoopbackResponse {
        changed {
            if let count { $0.flow.limit = max(0, count) }
            $0.flow.end = end
        }
    }

    private func changed(_ change: (inout LoopbackResponse) -> Void) -> LoopbackResponse {
        var copy = self
        change(&copy)
        return copy
    }
}
