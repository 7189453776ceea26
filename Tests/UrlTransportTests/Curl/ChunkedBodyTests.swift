import Testing

@testable import UrlTransport

/// How chunks are read, without I/O: in one piece, byte by byte, and in pieces of three.
struct ChunkedBodyTests {
    private struct Reading {
        var data: [UInt8] = []
        var isWhole = false
    }

    private func read(_ text: String, limit: Int = 100, pieces: Int) throws(TransferFailure) -> Reading {
        var body = ChunkedBody(overheadLimit: limit)
        var reading = Reading()
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            start += pieces
            let result = piece.withUnsafeBytes { piece -> Result<[UInt8], TransferFailure> in
                var input = piece
                var data: [UInt8] = []
                do throws(TransferFailure) {
                    while let next = try body.next(from: &input) { data += next }
                } catch {
                    return .failure(error)
                }
                return .success(data)
            }
            reading.data += try result.get()
        }
        reading.isWhole = body.isWhole
        return reading
    }

    @Test(arguments: [
        ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("5\nhello\n0\n\n", "hello"),
        ("1\r\nh\r\n4\r\nello\r\n0\r\n\r\n", "hello"), ("00000005\r\nhello\r\n000\r\n\r\n", "hello"),
        ("b\r\nhello world\r\n0\r\n\r\n", "hello world"), ("B\r\nhello world\r\n0\r\n\r\n", "hello world"),
        ("5 \t\r\nhello\r\n0 \r\n\r\n", "hello"), ("5;a=b;c=\"d;e\"\r\nhello\r\n0;f\r\n\r\n", "hello"),
        ("5 ; a\r\nhello\r\n0\r\nX-A: 1\r\nX-B: 2\r\n\r\n", "hello"), ("4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
        ("2\r\nab\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "ab"),
    ])
    func chunksAreJoined(text: String, data: String) throws {
        for pieces in [1, 3, 1000] {
            let reading = try read(text, pieces: pieces)
            #expect(reading.data == Array(data.utf8))
            #expect(reading.isWhole)
        }
    }

    @Test func whatIsCutIsNotWhole() throws {
        let text = "5;a\r\nhello\r\n0\r\nX-A: 1\r\n\r\n"
        for length in 0..<text.utf8.count {
            #expect(try !read(String(decoding: text.utf8.prefix(length), as: UTF8.self), pieces: 1000).isWhole)
        }
    }

    @Test(arguments: [
        ("0x5\r\nhello\r\n0\r\n\r\n", "the size of a chunk is no number"),
        ("0x0\r\n\r\n", "the size of a chunk is no number"), ("5 5\r\n", "the size of a chunk is no number"),
        ("5:\r\n", "the size of a chunk is no number"), ("5\u{0}\r\n", "the size of a chunk is no number"),
        ("+5\r\n", "a chunk has no size"), ("-5\r\n", "a chunk has no size"), ("\r\n", "a chunk has no size"),
        (" 5\r\n", "a chunk has no size"), (";a\r\n", "a chunk has no size"), ("xyz\r\n", "a chunk has no size"),
        ("00000000000000005\r\n", "a chunk is too large"), ("ffffffffffffffff\r\n", "a chunk is too large"),
        ("8000000000000000\r\n", "a chunk is too large"), ("fffffffffffffffff\r\n", "a chunk is too large"),
        ("2\r\nabc\r\n", "a chunk is larger than its size"), ("2\r\nab5\r\n", "a chunk is larger than its size"),
        ("5\rhello", "a line of the chunks has a CR without an LF"),
        ("5;a\rb\r\n", "a line of the chunks has a CR without an LF"),
        ("2\r\nab\r5\r\n", "a line of the chunks has a CR without an LF"),
        ("0\r\nX-A: 1\rX\r\n\r\n", "a line of the chunks has a CR without an LF"),
        ("5;a\u{0}\r\n", "there is a NUL between chunks"), ("0\r\nX-A: \u{0}\r\n\r\n", "there is a NUL between chunks"),
    ])
    func anythingElseIsInvalid(text: String, reason: String) {
        for pieces in [1, 3, 1000] {
            #expect(throws: TransferFailure.invalidResponse(reason)) { try read(text, pieces: pieces) }
        }
    }

    @Test func theLargestSizeFits() throws {
        #expect(try read("7fffffffffffffff\r\nabc", pieces: 1000).data == Array("abc".utf8))
    }

    @Test func extensionsAndTrailersMayBeAsLargeAsTheLimitAndTheDataTogether() throws {
        let data = String(repeating: "a", count: 16)
        let bodies: [(String, Int)] = [
            ("0;\(data)\r\n\r\n", 16), ("0\r\n\(data)\r\n\r\n", 16),
            ("0\(String(repeating: " ", count: 16))\r\n\r\n", 16),
            ("1;abcdefgh\r\na\r\n1;abcdefgh\r\na\r\n0\r\n\r\n", 15),
            ("10;0123456789\r\n\(data)\r\n10;0123456789\r\n\(data)\r\n0;0123456789\r\n\r\n", 10),
        ]
        for (text, limit) in bodies {
            #expect(try read(text, limit: limit, pieces: 1000).isWhole)
            let reason = "extensions and trailers of the chunks are larger than maxHeaderSize allows"
            #expect(throws: TransferFailure(.headersTooLarge, reason)) {
                try read(text, limit: limit - 1, pieces: 1000)
            }
        }
    }
}
