#if os(Linux)
import NetChainTestKit
import Testing
@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The rules of framing, without I/O.
struct ResponseFramingTests {
    typealias BodyEnd = ResponseFraming.BodyEnd

    private func read(
        _ head: String, _ method: HttpMethod = .get, range: Bool = false, mayBeHttp2: Bool = false
    ) throws -> ResponseFraming {
        var request = HttpRequest(method: method, url: try #require(URL(string: "http://localhost/")))
        if range { request.headers["Range"] = "bytes=0-" }
        var framing: ResponseFraming?
        // With their line ends, as libcurl hands them over.
        for line in head.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            var line = Array(line)
            // The end of the head.
            if framing != nil, line.isEmpty || line == [0x0D] { break }
            line.append(0x0A)
            try line.withUnsafeBytes { bytes in
                if framing == nil {
                    framing = try ResponseFraming(statusLine: bytes, of: request, mayBeHttp2: mayBeHttp2)
                } else {
                    try framing?.take(bytes)
                }
            }
        }
        var whole = try #require(framing)
        try whole.end(of: request)
        return whole
    }

    /// Reads the fields of a response with status 200, or another one.
    private func read(fields: String, status: Int = 200, range: Bool = false) throws -> ResponseFraming {
        try read("HTTP/1.1 \(status) OK\r\n\(fields)\r", range: range)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r", 200), ("HTTP/1.0 404 Not Found\r", 404), ("HTTP/1.1 200\r", 200), ("HTTP/1.1 200", 200),
        ("HTTP/1.1 999 \r", 999), ("HTTP/1.1 100\tx", 100), ("HTTP/1.9 200 \u{E9}\r", 200),
    ])
    func statusLinesOfHttp1AreRead(line: String, status: Int) throws {
        let framing = try read(line)
        #expect(framing.status == status)
        #expect(framing.isHttp1)
        #expect(framing.isInterim == (status == 100))
    }

    @Test(arguments: [
        "", "H", "HTTP/", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 20x", "HTTP/1.1  200",
        "HTTP/1.1 -20", "HTTP/1.1 2 0", "HTTP/1 200 OK", "HTTP/1. 200 OK", "HTTP/11 200", "HTTP/1.11 200",
        "HTTP/2.0 200",
        "HTTP/0.9 200 OK", "HTTP/4 200", "HTTP/x 200", "http/1.1 200 OK", " HTTP/1.1 200 OK", "HTTP 1.1 200 OK",
        "ICY 200 OK", "HTTP/1.1\t200 OK",
    ])
    func whatIsNoStatusLineIsNone(line: String) {
        for line in [line, line + "\r"] {
            #expect(throws: TransferFailure.invalidResponse("the response does not start with a status line of HTTP")) {
                try read(line, mayBeHttp2: true)
            }
        }
    }

    @Test(arguments: ["HTTP/1.1 000 OK\r", "HTTP/1.1 099 OK\r", "HTTP/2 000 \r", "HTTP/2 099 \r", "HTTP/2 001\r"])
    func aStatusBelow100DoesNotExist(line: String) {
        let status = line.split(separator: " ")[1].prefix { $0.isNumber }
        #expect(throws: TransferFailure.invalidResponse("the status \(Int(status) ?? -1) does not exist")) {
            try read(line, mayBeHttp2: true)
        }
    }

    @Test(arguments: [2, 3]) func anotherVersionIsReadOnlyWhereItMayBeSpoken(version: Int) throws {
        let framing = try read("HTTP/\(version) 200 \r\ncontent-length: 5\r", mayBeHttp2: true)
        #expect((framing.status, framing.isHttp1, framing.bodyEnd) == (200, false, .stream))
        #expect(throws: TransferFailure.invalidResponse("the status line names HTTP/\(version) over HTTP/1")) {
            try read("HTTP/\(version) 200 \r")
        }
    }

    @Test(arguments: [
        ("", BodyEnd.connection), ("Content-Length: 11\r\n", .length(11)), ("content-LENGTH:11\r\n", .length(11)),
        ("Content-Length:\t 11 \t\r\n", .length(11)), ("Content-Length: 11\n", .length(11)),
        ("Content-Length: 0\r\n", .length(0)), ("Content-Length: 0000000000000000011\r\n", .length(11)),
        ("Content-Length: 9223372036854775807\r\n", .length(.max)),
        ("Content-Length: 11\r\nX-A: 1\r\nContent-Length: 11\r\n", .length(11)),
        ("Content-Length: 11, 11,011\r\n", .length(11)), ("Transfer-Encoding: chunked\r\n", .lastChunk),
        ("transfer-encoding:CHUNKED\r\n", .lastChunk), ("Transfer-Encoding: identity , Chunked\r\n", .lastChunk),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", .lastChunk),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", .lastChunk),
        ("Transfer-Encoding: identity\r\nContent-Length: 5\r\n", .length(5)),
        ("X-Content-Length: 5\r\nContent-Lengths: 5\r\nContent: 5\r\n", .connection),
        ("X-Folded: a\r\n Content-Length: 5\r\n\tb\r\n", .connection), ("X-A : 5\r\n", .connection),
    ])
    func theHeadersSayWhereTheBodyEnds(fields: String, end: BodyEnd) throws {
        #expect(try read(fields: fields).bodyEnd == end)
    }

    @Test func aResponseOfHttp2HasNoTransferCoding() {
        #expect(throws: TransferFailure.invalidResponse("a response of HTTP/2 has a transfer coding")) {
            try read("HTTP/2 200\r\nTransfer-Encoding: chunked\r\n\r", mayBeHttp2: true)
        }
    }

    @Test(arguments: [
        "0xb", "+11", "-11", "", " ", "1 1", "11;", "11,", ",11", "11, 5", "11 5", "1e1", "11.0", "１１", "11\u{0}",
        "eleven",
        "00000000000000000011", "9223372036854775808", "18446744073709551627",
        "99999999999999999999999999999999999999999999",
    ])
    func anythingElseIsNoLength(value: String) {
        for fields in ["Content-Length: \(value)\r\n", "Content-Length: 11\r\nContent-Length: \(value)\r\n"] {
            #expect(throws: TransferFailure.self) { try read(fields: fields) }
            #expect(throws: TransferFailure.self) {
                try read(fields: fields + "Transfer-Encoding: chunked\r\n")
            }
        }
    }

    @Test(arguments: [(11, 5), (5, 11)]) func twoLengthsAreOneTooMany(first: Int, second: Int) {
        for between in ["\r\nContent-Length:", ","] {
            #expect(throws: TransferFailure.invalidResponse("the response has two lengths, \(first) and \(second)")) {
                try read(fields: "Content-Length: \(first)\(between) \(second)\r\n")
            }
        }
    }

    @Test(arguments: [
        ("Content-Length", "5"), ("Transfer-Encoding", "chunked"), ("Content-Range", "bytes 0-4/5"),
    ])
    func aFieldOfTheFramingHasNoSpaceBeforeItsColonAndIsNotFolded(name: String, value: String) {
        for space in [" ", "\t", "  ", "\r"] {
            #expect(throws: TransferFailure.invalidResponse("a space precedes the colon of \(name)")) {
                try read(fields: "\(name)\(space): \(value)\r\n", range: true)
            }
        }
        for folded in ["\(name): \(value)\r\n x\r\n", "\(name): \(value)\r\n\t\r\n"] {
            #expect(throws: TransferFailure.invalidResponse("a header that says where the body ends is folded")) {
                try read(fields: folded, range: true)
            }
        }
    }

    @Test func theValueOfACodingMayNotComeInALineOfItsOwn() {
        #expect(throws: TransferFailure.invalidResponse("a header that says where the body ends is folded")) {
            try read(fields: "Transfer-Encoding:\r\n chunked\r\n")
        }
    }

    @Test func everyLineHasAColonOrContinuesTheOneBefore() {
        for line in [" X-A: 1", "\tX-A: 1", " "] {
            #expect(throws: TransferFailure.invalidResponse("the first line of the headers continues nothing")) {
                try read(fields: "\(line)\r\n")
            }
        }
        for line in ["X-A", "HTTP/1.1 404 Not Found", "HTTP/1.1 200 OK"] {
            #expect(throws: TransferFailure.invalidResponse("a line of the headers has no colon")) {
                try read(fields: "X-B: 1\r\n\(line)\r\n")
            }
        }
    }

    @Test(arguments: [
        "gzip, chunked", "gzip", "chunked, gzip", "xchunked", "chunked;q=1", "\"chunked\"", "chunked\u{B}",
    ])
    func anUnaskedTransferCodingIsAnInvalidEncoding(coding: String) throws {
        let last = coding == "chunked, gzip" || coding == "gzip, chunked" ? "gzip" : coding
        let reason = "the body has an unsupported transfer coding: \(last)"
        #expect(throws: TransferFailure(.invalidContentEncoding, reason)) {
            try read(fields: "Transfer-Encoding: \(coding)\r\n")
        }
        #expect(try read("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r", .head).bodyEnd == .noBody)
    }

    @Test(arguments: ["chunked, chunked", "chunked\r\nTransfer-Encoding: chunked"])
    func aBodyIsChunkedOnce(coding: String) {
        #expect(throws: TransferFailure.invalidResponse("the body is chunked twice")) {
            try read(fields: "Transfer-Encoding: \(coding)\r\n")
        }
    }

    @Test(arguments: [100, 103, 199, 204, 304]) func someStatusesHaveNoBody(status: Int) throws {
        #expect(
            try read(fields: "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", status: status).bodyEnd == .noBody)
        #expect(try read("HTTP/1.1 200 OK\r\nContent-Length: 5\r", .head).bodyEnd == .noBody)
    }

    @Test func whatNeedsToBeAskedForIsInvalidUnasked() throws {
        #expect(
            throws: TransferFailure.invalidResponse("the server switches the protocol, and the request has no Upgrade")
        ) {
            try read("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r")
        }
        #expect(throws: TransferFailure.invalidResponse("the server sent a part, and the request has no Range")) {
            try read("HTTP/1.1 206 Partial Content\r")
        }
        #expect(try read("HTTP/1.1 206 Partial Content\r", range: true).status == 206)
    }

    @Test(
        arguments: [
            ("bytes 1000-1499/*", 500), ("bytes 0-4/5", 5), ("bytes 0-0/1", 1), ("bytes */5", nil),
            ("pages 1-2/3", nil),
            ("", nil), ("bytes 0-9223372036854775806/*", .max),
        ] as [(String, Int64?)])
    func aPartHasItsSize(value: String, size: Int64?) throws {
        let fields = "Content-Range: \(value)\r\n"
        #expect(try read(fields: fields, status: 206, range: true).partSize == size)
        #expect(try read(fields: fields).partSize == nil)
        guard let size else { return }
        let length = "Content-Length: \(size)\r\n"
        #expect(try read(fields: fields + length, status: 206, range: true).bodyEnd == .length(size))
        #expect(throws: TransferFailure.invalidResponse("Content-Range says \(size) bytes and Content-Length 200")) {
            try read(fields: "Content-Length: 200\r\n" + fields, status: 206, range: true)
        }
    }

    @Test(arguments: ["bytes 0-9223372036854775807/*", "bytes 0-4/5\r\nContent-Range: bytes 5-10/20"])
    func aRangeThatCanNotBeIsInvalid(value: String) {
        #expect(throws: TransferFailure.self) {
            try read(fields: "Content-Range: \(value)\r\n", status: 206, range: true)
        }
    }
}
#endif
