import Glibc
import NetChainTestKit
import Synchronization

/// A server with a path for each fault, `/fault/id`. Whatever is answered at all repeats the request's number.
final class Server: Sendable {
    let server: LoopbackServer
    /// The number of the token that is good now.
    private let token = Atomic(0)
    /// The requests that were told to come again.
    private let sentAway = Mutex<Set<Int>>([])
    private static let evil = Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"id\":-1}".utf8)
    private static let requestTimeout = Array("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n".utf8)

    init() throws {
        server = try LoopbackServer(recordLimit: 0)
        for fault in Fault.allCases {
            server.on(.any, "/\(fault.rawValue)/:id") { [weak self] request in
                self?.answer(fault, request) ?? .close
            }
        }
        server.on(.post, "/token") { [weak self] _ in
            .json(#"{"accessToken": "token-\#(self?.token.load(ordering: .relaxed) ?? 0)", "refreshToken": "refresh"}"#)
        }
        server.whileReceiving(.put, "/upload/:id", .reset(afterBytes: 10_000))
    }

    /// From now on the token that everybody has is refused.
    func expireToken() {
        token.add(1, ordering: .relaxed)
    }

    /// How often ``expireToken()`` was called.
    var expirations: Int { token.load(ordering: .relaxed) }

    private func answer(_ fault: Fault, _ request: LoopbackRequest) -> LoopbackResponse {
        let id = Int(request.parameters["id"] ?? "") ?? -1
        let text = #"{"id":\#(id)}"#
        let json = LoopbackResponse.json(text)
        switch fault {
        case .none, .upload: return json
        case .busy:
            guard sentAway.withLock({ $0.insert(id).inserted }) else { return json }
            return .status(503).header("Retry-After", id.isMultiple(of: 2) ? Self.httpDate(in: 1) : "1")
        case .posted: return .json(request.text)
        case .chunked: return .chunked([#"{"#, #""id""#, ":\(id)}"], contentType: "application/json")
        case .slow: return json.delayed(by: .milliseconds(id % 100))
        case .dripping: return json.dripping(16, every: .milliseconds(1))
        case .gzip: return compressed("gzip", Self.gzip(text))
        case .redirected: return .redirect(to: "/none/\(id)", status: 307)
        case .refused:
            let good = "Bearer token-\(token.load(ordering: .relaxed))"
            return request.headers["Authorization"] == good ? json : .status(401)
        case .followed: return json.followed(by: id.isMultiple(of: 2) ? Self.evil : Self.requestTimeout)
        case .streamed, .streamLeft: return .repeating(Array("\(id),".utf8), length: 100_000)
        case .streamCut: return .repeating(Array("\(id),".utf8), length: 100_000).closing(afterBytes: 50_000)
        case .missing: return .json(text, status: 404)
        case .reset: return .reset
        case .closed: return .close
        case .cut: return json.header("Content-Length", "100").closing()
        case .cutHead: return json.closingInsideHead()
        case .cutGzip: return compressed("gzip", Self.gzip(text).dropLast(1 + id % 12))
        case .damagedGzip:
            var bytes = Self.gzip(text)
            bytes[bytes.count - 6] ^= 1
            return compressed("gzip", bytes)
        case .garbage: return .raw("garbage\r\n\r\n").closing()
        case .large: return .endlessBody(isChunked: id.isMultiple(of: 2))
        case .bomb: return compressed("zstd", Self.bomb)
        case .headers: return .endlessHeaders()
        case .silent: return .neverAnswer
        case .folded: return raw(" X-Folded: 1\r\nContent-Length: \(text.utf8.count)", text)
        case .framing: return raw(Self.framings[id % Self.framings.count], text)
        case .status: return .raw("HTTP/2 \(id.isMultiple(of: 2) ? "000" : "099")\r\n\r\n\(text)").closing()
        case .unrequestedRange:
            return .json(text, status: 206).header("Content-Range", "bytes 0-\(text.utf8.count - 1)/100")
        case .badChunk:
            let size = String(text.utf8.count, radix: 16)
            let isSize = id.isMultiple(of: 2)
            return raw(
                "Transfer-Encoding: chunked",
                isSize ? "0x\(size)\r\n\(text)\r\n0\r\n\r\n" : "\(size)\r\n\(text)\r\n0\r\nX: \0\r\n\r\n")
        case .endlessExtension:
            let extension2MiB = String(repeating: "a", count: 2 << 20)
            return raw("Transfer-Encoding: chunked", "1;\(extension2MiB)\r\n1\r\n0\r\n\r\n")
        case .expectation: return .status(417)
        case .dropped: return json.closing()
        case .forbidden: return .status(403)
        case .later: return .status(503).header("Retry-After", "86400")
        }
    }

    /// Content lengths and transfer codings that no recipient may accept (RFC 9112 §6.3).
    private static let framings = [
        "Content-Length: 0xb", "Content-Length: +11", "Content-Length: 11, 5",
        "Content-Length: 11\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 11", "Content-Length: 18446744073709551627", "Content-Length : 11",
        "Transfer-Encoding:\r\n chunked",
    ]

    /// A response with this header section and this body as they are; the connection closes after it.
    private func raw(_ fields: String, _ body: String) -> LoopbackResponse {
        .raw("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(body)").closing()
    }

    private func compressed(_ coding: String, _ bytes: [UInt8]) -> LoopbackResponse {
        .bytes(bytes, contentType: "application/json", headers: ["Content-Encoding": coding])
    }

    /// A moment that is `seconds` away by the wall clock, as HTTP writes it (RFC 9110 §5.6.7).
    private static func httpDate(in seconds: Int) -> String {
        var moment = time(nil) + seconds
        var parts = tm()
        gmtime_r(&moment, &parts)
        var text = [UInt8](repeating: 0, count: 64)
        let count = text.withUnsafeMutableBytes { buffer in
            strftime(buffer.bindMemory(to: CChar.self).baseAddress, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        }
        return String(decoding: text.prefix(count), as: UTF8.self)
    }

    /// 128 MiB of one byte, in blocks that stand for 128 KiB each (RFC 8878 §3.1.1.2).
    private static let bomb: [UInt8] =
        [0x28, 0xB5, 0x2F, 0xFD, 0, 56]
        + (1...1024).flatMap { index -> [UInt8] in
            let header = 131_072 << 3 | 1 << 1 | (index == 1024 ? 1 : 0)
            return [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16), 0x20]
        }

    /// The text in one stored block (RFC 1951 §3.2.4) of a gzip member (RFC 1952).
    private static func gzip(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        func little(_ value: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }
        var checksum: UInt32 = .max
        for byte in bytes {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
        }
        let count = UInt32(bytes.count)
        return [31, 139, 8, 0, 0, 0, 0, 0, 0, 255, 1] + little(count, 2) + little(~count, 2) + bytes
            + little(~checksum, 4) + little(count, 4)
    }
}
