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

struct ProgressTests {
    @Test(arguments: SenderKind.allCases)
    func aDownloadTellsHowFarItIs(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .repeating([0x61], length: 1_000_000))
        let seen = Recorder<TransferProgress>()
        let options = RequestOptions { seen.append($0) }
        _ = try await kind.sender().observed(server.request(options: options)).value
        let received = seen.values.map(\.received)
        #expect(received == received.sorted())
        #expect(
            seen.values.last
                == TransferProgress(sent: 0, totalToSend: nil, received: 1_000_000, totalToReceive: 1_000_000))
    }

    @Test(arguments: SenderKind.allCases)
    func aDownloadOfUnknownLengthTellsNone(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .chunked(["abc", "def"]))
        let seen = Recorder<TransferProgress>()
        let options = RequestOptions { seen.append($0) }
        _ = try await kind.sender().observed(server.request(options: options)).value
        #expect(seen.values.last == TransferProgress(sent: 0, totalToSend: nil, received: 6, totalToReceive: nil))
    }

    @Test(arguments: SenderKind.allCases)
    func theBodyOfAnErrorIsNoPartOfAFile(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .text("not here", status: 404))
        let file = FileManager.default.temporaryDirectory.appending(path: "netchain-\(UUID())")
        let seen = Recorder<TransferProgress>()
        let options = RequestOptions(destination: .file(file)) { seen.append($0) }
        #expect(try await kind.sender().observed(server.request(options: options)).value.status == 404)
        #expect(!seen.values.isEmpty)
        #expect(seen.values.allSatisfy { $0.received == 0 && $0.totalToReceive == nil })
    }

    @Test(arguments: SenderKind.allCases)
    func anUploadTellsHowFarItIs(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.post, "/", respond: .text("ok"))
        let seen = Recorder<TransferProgress>()
        let options = RequestOptions { seen.append($0) }
        let body = RequestBody.data(Data(repeating: 0x61, count: 1_000_000))
        _ = try await kind.sender().observed(server.request(.post, body: body, options: options)).value
        let sent = seen.values.map(\.sent)
        #expect(sent == sent.sorted())
        #expect(
            seen.values.last
                == TransferProgress(sent: 1_000_000, totalToSend: 1_000_000, received: 2, totalToReceive: 2))
        #expect(seen.values.allSatisfy { $0.totalToSend == 1_000_000 })
    }

    @Test(arguments: SenderKind.allCases)
    func progressIsToldAtMostTwentyTimesASecond(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .repeating([0x61], length: 20_000_000))
        let seen = Recorder<TransferProgress>()
        let start = ContinuousClock.now
        _ = try await kind.sender().observed(server.request(options: RequestOptions { seen.append($0) })).value
        let periods = Int((.now - start) / Duration.milliseconds(50))
        // At the start, after each period, and once at the end.
        #expect(seen.values.count <= periods + 2)
        #expect(seen.values.last?.received == 20_000_000)
    }

    /// Bytes that move without a pause, some of them just before and just after a report.
    @Test(arguments: SenderKind.allCases)
    func progressOfASlowBodyIsToldAtMostTwentyTimesASecond(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/")
        let seen = Recorder<TransferProgress>()
        let start = ContinuousClock.now
        let answer = try kind.sender().observed(server.request(options: RequestOptions { seen.append($0) }))
        let exchange = try await server.nextRequest("/")
        exchange.sendHead(200, headers: ["Content-Length": "4000"])
        for index in 0..<200 {
            exchange.sendBody("twenty bytes of text")
            try await Task.sleep(for: .milliseconds(1 + index % 7 * 3))
        }
        _ = try await answer.value
        let periods = Int((.now - start) / Duration.milliseconds(50))
        #expect(seen.values.count <= periods + 2)
        #expect(seen.values.last?.received == 4_000)
    }

    /// They come too soon after the last report, and nothing follows them.
    @Test(arguments: SenderKind.allCases)
    func theLastBytesBeforeAPauseAreReported(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/")
        let (steps, step) = AsyncStream<Int64>.makeStream()
        let request = server.request(
            options: RequestOptions(timeout: .seconds(60), onProgress: { step.yield($0.received) }))
        let answer = try kind.sender().observed(request)
        answer.onError { _ in step.finish() }
        let exchange = try await server.nextRequest("/")
        exchange.sendHead(200, headers: ["Content-Length": "1000"])
        let bytes = "twenty bytes of text"
        let start = ContinuousClock.now
        exchange.sendBody(bytes)
        var received: Int64 = 0
        for await count in steps where count > received {
            received = count
            if count == 400 { break }
            exchange.sendBody(bytes)
        }
        #expect(received == 400)
        // Each report follows its bytes after at most 100 ms. Timers of libcurl would cause one a second.
        #expect(.now - start < .seconds(10))
        exchange.reset()
        _ = await answer.end()
    }

    @Test(arguments: SenderKind.allCases)
    func eachHopHasAProgressOfItsOwn(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.post, "/old", respond: .redirect(to: "/new", status: 303))
        server.on(.get, "/new", respond: .repeating([0x61], length: 1_000_000))
        let seen = Recorder<TransferProgress>()
        let body = RequestBody.data(Data(repeating: 0x61, count: 1_000_000))
        let options = RequestOptions { seen.append($0) }
        _ = try await kind.sender().observed(server.request(.post, "/old", body: body, options: options)).value
        let second = try #require(seen.values.firstIndex { $0.received > 0 })
        let endOfFirst = try #require(seen.values[..<second].last { $0.sent > 0 })
        #expect(endOfFirst.sent == 1_000_000)
        #expect(endOfFirst.totalToSend == 1_000_000)
        #expect(seen.values[second...].allSatisfy { $0.sent == 0 })
        #expect(seen.values.last?.received == 1_000_000)
        #expect(seen.values[second...].allSatisfy { $0.totalToSend == nil })
    }

    @Test(arguments: SenderKind.allCases)
    func aFailureTellsHowFarItHadCome(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .text("abc").header("Content-Length", "9").closing())
        let seen = Recorder<TransferProgress>()
        let request = server.request(options: RequestOptions { seen.append($0) })
        #expect(try await kind.sender().failure(request) == .truncatedResponse)
        #expect(seen.values.last == TransferProgress(sent: 0, totalToSend: nil, received: 3, totalToReceive: 9))
    }
}
