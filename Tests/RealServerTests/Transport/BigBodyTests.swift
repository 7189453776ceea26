import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Streams and resumed downloads against nginx.
@Suite(.needs(.nginx, .nginxTls, .authorities), .timeLimit(.minutes(1)))
struct BigBodyTests {
    typealias Way = (server: ServerVariable, version: CurlRequestSender.Configuration.HttpVersion)

    // Not HTTP/2 without TLS: there libcurl 7.88 tells of a stream's reset in place of the answer, and may not go on
    // after a pause of the sending.
    static let ways: [Way] = [(.nginx, .http1), (.nginxTls, .http1), (.nginxTls, .automatic)]

    @Test(arguments: ways, [true, false])
    func aStreamArrivesByteForByte(way: Way, isLengthKnown: Bool) async throws {
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = way.version })
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let body = RequestBody.stream(stream, length: isLengthKnown ? Int64(blob.count) : nil)
        let answer = sender.observed(try rawRequest(.put, way.server, "/raw-body", body: body))
        var rest = blob
        while !rest.isEmpty {
            continuation.yield(rest.prefix(100_000))
            rest = rest.dropFirst(100_000)
            // So that the sending has to pause now and then.
            await Task.yield()
        }
        continuation.finish()
        let response = try await answer.value
        #expect(response.status == 200)
        #expect(response.data == blob)
        #expect(response.metrics.bytesSent == Int64(blob.count))
    }

    @Test(arguments: ways)
    func aStreamThatIsRefusedIsAnHttpError(way: Way) async throws {
        // nginx takes 64 MiB, says so by the head alone and closes the connection.
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = way.version })
        let chain: Node<RequestBody, Void> = try request(.put, way.server, "/raw-body", with: sender).build()
        let pieces = AsyncStream<Data> { Data(count: 1 << 20) }
        let error = await thrown(HttpError.self) { try await chain.execute(.stream(pieces, length: 1 << 30)) }
        #expect(error?.status == 413)
    }

    @Test(arguments: [ServerVariable.nginx, .nginxTls])
    func aDownloadIsResumed(server: ServerVariable) async throws {
        let file = try TemporaryFile("blob.bin", Data())
        let sender = try CurlRequestSender(configuration: .tls())
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let seen = Recorder<TransferProgress>()
        let builder = try request(server, "/throttled-late", with: sender)
        let first = builder.download(to: file.url, resuming: true) { step in
            if step.received > 4_000_000 { continuation.yield() }
        }
        let task = Task { try await first.execute() }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let second = builder.download(to: file.url, resuming: true) { seen.append($0) }
        #expect(try await second.execute().value == file.url)
        #expect(try Data(contentsOf: file.url) == blob)
        let last = try #require(seen.values.last)
        #expect(last.alreadyReceived > 3_500_000)
        #expect(last.received + last.alreadyReceived == Int64(blob.count))
    }
}
