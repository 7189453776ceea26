import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.needs(.nginx, .httpbin, .nginxTls, .authorities))
struct DownloadTests {
    @Test(arguments: [ServerVariable.nginx, .nginxTls])
    func aFileArrivesByteForByteWithItsProgress(server: ServerVariable) async throws {
        let seen = Recorder<TransferProgress>()
        let sender = try CurlRequestSender(configuration: .tls())
        let data = try await request(server, "/blob.bin", with: sender)
            .onProgress { seen.append($0) }.loadData().execute()
        #expect(data == blob)
        #expect(seen.values.map(\.received) == seen.values.map(\.received).sorted())
        #expect(
            seen.values.last
                == TransferProgress(
                    sent: 0, totalToSend: nil, received: Int64(blob.count), totalToReceive: Int64(blob.count)))
    }

    @Test func twentyFilesAtOnceArriveByteForByte() async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        let chain = try request(.nginxTls, "/blob.bin", with: sender).loadData()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await chain.execute() == blob } }
            for try await isWhole in group { #expect(isWhole) }
        }
    }

    @Test func aBodyWithoutALengthArrivesWhole() async throws {
        let data = try await request(.httpbin, "/stream-bytes/100000?seed=1&chunk_size=1000").loadData().execute()
        let again = try await request(.httpbin, "/stream-bytes/100000?seed=1&chunk_size=7777").loadData().execute()
        #expect(data.count == 100_000)
        #expect(data == again)
    }

    @Test func aBodyThatIsTooLargeIsRefused() async throws {
        let sender = try CurlRequestSender(configuration: .loopback { $0.limits.responseSize = blob.count - 1 })
        let error = await thrown(TransportError.self) {
            try await request(.nginx, "/blob.bin", with: sender).loadData().execute()
        }
        #expect(error?.code == .responseTooLarge)
    }

    @Test func aPartOfAFileIsLoaded() async throws {
        let data = try await request(.nginx, "/blob.bin").set(metadata: ["Range": "bytes=250-252"])
            .loadData().execute()
        #expect(Array(data) == [250, 0, 1])
    }

    @Test func headTellsTheLengthAndBringsNoBody() async throws {
        let sender = try CurlRequestSender(configuration: .loopback())
        let response = try await sender.observed(rawRequest(.head, .nginx, "/blob.bin")).value
        #expect(response.headers["Content-Length"] == "\(blob.count)")
        #expect(response.data.isEmpty)
        let json: Json = try await request(.head, .nginx, "/users").build().execute()
        #expect(json == [:])
    }

    @Test(.timeLimit(.minutes(1))) func aDownloadThatIsCanceledEndsAtOnce() async throws {
        let sender = try CurlRequestSender(configuration: .loopback())
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let chain = try request(.nginx, "/throttled", with: sender)
            .onProgress { if $0.received > 0 { continuation.yield() } }.loadData()
        let task = Task { try await chain.execute() }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
