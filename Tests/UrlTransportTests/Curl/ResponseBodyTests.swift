#if os(Linux)
import NodeCore
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The body between libcurl, which keeps a refused piece, and a sink that is often full.
struct ResponseBodyTests {
    private static let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }

    private func framing(_ lines: [String], statusLine: String = "HTTP/1.1 200 OK") throws -> ResponseFraming {
        let request = HttpRequest(method: .get, url: try #require(URL(string: "http://a.example/")))
        var framing = try "\(statusLine)\r\n".utf8.withContiguousStorageIfAvailable {
            try ResponseFraming(statusLine: UnsafeRawBufferPointer($0), of: request, mayBeHttp2: true)
        }
        for line in lines {
            try "\(line)\r\n".utf8.withContiguousStorageIfAvailable { try framing?.take(UnsafeRawBufferPointer($0)) }
        }
        return try #require(framing)
    }

    /// The body in chunks of random sizes.
    private func chunked(_ body: [UInt8], _ random: inout some RandomNumberGenerator) -> [UInt8] {
        var text: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 1...2000, using: &random))
            text += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
            rest = rest.dropFirst(chunk.count)
        }
        return text + Array("0\r\n\r\n".utf8)
    }

    /// What libcurl keeps would grow with each pause.
    @Test(arguments: [nil, Coding.gzip])
    func afterAPauseAllThatLibcurlKeepsIsTaken(coding: Coding?) async throws {
        let plain = [UInt8](repeating: 7, count: 1_000_000)
        let body = try coding?.compress(plain) ?? plain
        let buffer = ByteBuffer(limit: 1000, onSpace: {}, onAbandon: {})
        let reader = ByteStream(buffer).makeAsyncIterator()
        let response = ResponseBody(
            try framing(["Content-Length: \(body.count)"]), to: .stream(buffer),
            contentCodings: coding.map { [$0.name] } ?? [], overheadLimit: 1000, excessLimit: 1 << 20, onYield: {})
        func receive(_ piece: ArraySlice<UInt8>) throws -> Bool {
            try piece.withUnsafeBytes { try response.receive($0) }
        }
        #expect(try receive(body[..<(body.count / 4)]))
        // The buffer is full.
        #expect(try !receive(body[(body.count / 4)...]))
        response.isResuming = true
        #expect(try receive(body[(body.count / 4)..<(body.count / 2)]))
        #expect(try receive(body[(body.count / 2)...]))
        response.isResuming = false
        #expect(response.isWhole == (coding == nil))
        var count = 0
        while try !response.decodeRest() {
            let piece = try await reader.next() ?? Data()
            // The limit, and a piece of the decoder.
            #expect(coding == nil || piece.count <= 66_000)
            count += piece.count
        }
        #expect(response.isWhole)
        buffer.finish(nil)
        while let piece = try await reader.next() { count += piece.count }
        #expect(count == plain.count)
    }

    @Test(arguments: [[], [Coding.gzip], [.zstd], [.gzip, .zstd]], [true, false])
    func aBodyIsWholeHoweverOftenItsTransferPauses(codings: [Coding], isChunked: Bool) async throws {
        var random = SystemRandomNumberGenerator()
        let coded = try codings.reduce(Self.bytes) { try $1.compress($0) }
        for _ in 0..<20 {
            let body = isChunked ? chunked(coded, &random) : coded
            let buffer = ByteBuffer(limit: .random(in: 1...70_000), onSpace: {}, onAbandon: {})
            let reader = ByteStream(buffer).makeAsyncIterator()
            let response = ResponseBody(
                try framing([isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.count)"]),
                to: .stream(buffer), contentCodings: [codings.map(\.name).joined(separator: ", ")], overheadLimit: 1000,
                excessLimit: 1 << 20,
                onYield: {})
            var received = Data()
            var rest = body[...]
            while !rest.isEmpty {
                #expect(!response.isWhole)
                let piece = rest.prefix(.random(in: 1...6000, using: &random))
                response.isResuming = Bool.random(using: &random)
                if try piece.withUnsafeBytes({ try response.receive($0) }) {
                    rest = rest.dropFirst(piece.count)
                } else {
                    #expect(!response.isWhole)
                    while try !response.decodeRest() { received += try await reader.next() ?? Data() }
                }
            }
            while !response.isDecoded {
                #expect(!response.isWhole)
                if try !response.decodeRest(), !buffer.hasSpace() { received += try await reader.next() ?? Data() }
            }
            #expect(response.isWhole)
            #expect(response.size == coded.count)
            #expect(response.incompleteness(hasCloseNotify: nil) == nil)
            buffer.finish(nil)
            while let last = try await reader.next() { received += last }
            #expect(received == Data(Self.bytes))
        }
    }

    @Test func decodingYieldsToOtherTransfersWhateverTheSinkTakes() throws {
        let body = try Coding.gzip.compress([UInt8](repeating: 0, count: 10 << 20))
        var yields = 0
        let response = ResponseBody(
            try framing(["Content-Length: \(body.count)"]), to: .memory(MemorySink(limit: 20 << 20, expected: 0)),
            contentCodings: ["gzip"], overheadLimit: 0, excessLimit: 1 << 20, onYield: { yields += 1 })
        #expect(try body.withUnsafeBytes { try response.receive($0) })
        #expect(yields == 1)
        #expect(!response.isWhole)
        #expect(try !body.withUnsafeBytes { try response.receive($0) })
        #expect(try !response.decodeRest())
        #expect(yields == 2)
        #expect(try response.decodeRest())
        #expect(response.isWhole)
        #expect(response.sink.data.count == 10 << 20)
    }

    @Test func aBodyThatIsTooLargeIsNotWhole() throws {
        let body = try Coding.gzip.compress(Self.bytes)
        let response = ResponseBody(
            try framing(["Content-Length: \(body.count)"]), to: .memory(MemorySink(limit: 19_999, expected: 0)),
            contentCodings: ["gzip"], overheadLimit: 0, excessLimit: 1 << 20,
            onYield: {})
        #expect(throws: TransferFailure.responseTooLarge(19_999)) {
            try body.withUnsafeBytes { try response.receive($0) }
        }
        #expect(!response.isWhole)
    }

    /// A small body of two codings, of which the inner data, many empty parts, become nothing.
    @Test func whatBecomesNothingBetweenTwoCodingsIsLimitedForAStreamToo() throws {
        let empty = try Coding.gzip.compress([])
        let body = try Coding.gzip.compress([UInt8](Array(repeating: empty, count: 100_000).joined()))
        let response = ResponseBody(
            try framing(["Content-Length: \(body.count)"]), to: .stream(ByteBuffer(onSpace: {}, onAbandon: {})),
            contentCodings: ["gzip, gzip"], overheadLimit: 0, excessLimit: 1 << 20, onYield: {})
        #expect(
            throws: TransferFailure(
                .invalidContentEncoding, "more than 1048576 bytes between its codings become nothing")
        ) {
            _ = try body.withUnsafeBytes { try response.receive($0) }
            for _ in 0..<100 where try response.decodeRest() { break }
        }
    }

    @Test func aBodyOfHttp2ThatIsShorterThanItsLengthIsNotWhole() throws {
        let response = ResponseBody(
            try framing(["Content-Length: 4"], statusLine: "HTTP/2 200"),
            to: .memory(MemorySink(limit: 10, expected: 4)),
            contentCodings: [], overheadLimit: 0, excessLimit: 0, onYield: {})
        #expect(try Data("abc".utf8).withUnsafeBytes { try response.receive($0) })
        #expect(response.incompleteness(hasCloseNotify: nil)?.code == .truncatedResponse)
        #expect(try Data("d".utf8).withUnsafeBytes { try response.receive($0) })
        #expect(response.incompleteness(hasCloseNotify: nil) == nil)
    }

    @Test func aPieceThatTheSinkRefusedIsMissing() throws {
        let buffer = ByteBuffer(limit: 1, onSpace: {}, onAbandon: {})
        let response = ResponseBody(
            try framing(["Content-Length: 4"]), to: .stream(buffer), contentCodings: [], overheadLimit: 0,
            excessLimit: 1 << 20, onYield: {})
        for piece in ["ok", "ok"] {
            _ = try Data(piece.utf8).withUnsafeBytes { try response.receive($0) }
        }
        #expect(!response.isWhole)
        #expect(response.incompleteness(hasCloseNotify: nil)?.code == .truncatedResponse)
    }
}
#endif
