#if os(Linux)
import Glibc
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The size of a big body in bytes; 0 for none.
private let bigSize = (getenv("NETCHAIN_BIG_BODY_MIB").flatMap { Int(String(cString: $0)) } ?? 0) << 20

/// Bodies that don't fit in memory, in a process of their own: `Scripts/check.sh big-bodies` runs them. They look at the
/// most memory that the process ever had, the test server's included.
@Suite(.serialized, .enabled(if: bigSize > 0, "Scripts/check.sh big-bodies runs them"))
struct BigBodyTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender
    private let folder: TestFolder
    private let block = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    init() throws {
        server = try LoopbackServer()
        server.on(.put, "/up", respond: .status(200))
        server.whileReceiving(.put, "/up", .discard)
        sender = try makeSender()
        folder = try TestFolder()
    }

    private func pieces(_ size: Int) -> Pieces {
        Pieces(block, count: size / block.count)
    }

    /// Measures a transfer of the size after a small one, which brings all that is kept anyway.
    private func measure(_ what: String, _ transfer: (Int) async throws -> Void) async throws {
        try await transfer(8 << 20)
        let before = peakKilobytes()
        let start = ContinuousClock.now
        try await transfer(bigSize)
        let time = (ContinuousClock.now - start) / .seconds(1)
        let growth = peakKilobytes() - before
        let seconds = Double(Int(time * 10)) / 10
        print("big bodies: \(what), \(bigSize >> 20) MiB in \(seconds) s, peak memory grew by \(growth) KiB")
        #expect(growth < 16 << 10, "\(what) grew by \(growth) KiB")
    }

    private func send(_ body: RequestBody, _ size: Int, before: Data = Data(), after: Data = Data()) async throws {
        let answer = try await sender.send(.put, server.url("/up"), body: body).value
        let whole = before.count + size + after.count
        #expect(answer.status == 200)
        #expect(answer.metrics.bytesSent == Int64(whole))
        let request = try #require(server.requests.last)
        #expect(request.bodyLength == whole)
        var checksum = Hasher()
        before.withUnsafeBytes { checksum.combine(bytes: $0) }
        block.withUnsafeBytes { block in
            for _ in 0..<size / block.count { checksum.combine(bytes: block) }
        }
        after.withUnsafeBytes { checksum.combine(bytes: $0) }
        #expect(request.bodyChecksum == checksum.finalize())
    }

    private func bigFile(_ size: Int) throws -> URL {
        let file = folder.url.appending(path: "big.bin")
        let stream = try #require(fopen(file.path, "w"))
        block.withUnsafeBytes { block in
            for _ in 0..<size / block.count { fwrite(block.baseAddress, block.count, 1, stream) }
        }
        fclose(stream)
        return file
    }

    @Test func aFileIsUploaded() async throws {
        try await measure("upload from a file") { size in
            try await send(.file(bigFile(size)), size)
        }
    }

    /// As `UrlRequestTransformerNode` makes it of a form.
    @Test func aFormWithAFileIsUploaded() async throws {
        let before = Data("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"big.bin\"\r\n\r\n".utf8)
        let after = Data("\r\n--b--\r\n".utf8)
        try await measure("upload of a form with a file") { size in
            let form = RequestBody(
                segments: [.data(before), .file(try bigFile(size), size: Int64(size)), .data(after)])
            try await send(form, size, before: before, after: after)
        }
    }

    @Test func aSequenceIsUploaded() async throws {
        try await measure("upload from a sequence") { size in
            try await send(.stream(pieces(size), length: Int64(size)), size)
        }
    }

    @Test func aSequenceOfUnknownLengthIsUploaded() async throws {
        try await measure("upload from a sequence in chunks") { size in
            try await send(.stream(pieces(size)), size)
        }
    }

    @Test(arguments: [false, true])
    func aFileIsDownloaded(resuming: Bool) async throws {
        let file = folder.url.appending(path: "big.bin")
        try await measure("download to a file\(resuming ? " that could be resumed" : "")") { size in
            server.on(.get, "/down", respond: .repeating(Array(block), length: size).header("ETag", "\"one\""))
            let options = RequestOptions(destination: .file(file, resuming: resuming))
            let answer = try await sender.send(.get, server.url("/down"), options: options).value
            #expect(answer.file == file)
            var status = stat()
            #expect(stat(file.path, &status) == 0)
            #expect(Int(status.st_size) == size)
        }
    }

    @Test func aStreamIsRead() async throws {
        try await measure("download as a stream") { size in
            server.on(.get, "/down", respond: .repeating(Array(block), length: size))
            let options = RequestOptions(destination: .stream)
            let answer = try await sender.send(.get, server.url("/down"), options: options).value
            var received = 0
            for try await piece in try #require(answer.bytes) { received += piece.count }
            #expect(received == size)
        }
    }

    /// The most memory that the process ever had.
    private func peakKilobytes() -> Int {
        let text = String(decoding: systemFile("/proc/self/status"), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
#endif
