#if os(Linux)
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

/// A server that sends without an end meets a limit, and only so much is kept.
struct CurlLimitTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func serve(_ response: LoopbackResponse) -> URL {
        server.on(.any, "/x", respond: response)
        return server.url("/x")
    }

    @Test func aBodyMayBeAsLargeAsTheLimitAndNoLarger() async throws {
        let sender = try makeSender { $0.limits.responseSize = 1000 }
        #expect(try await sender.send(.get, serve(.bytes(Array(repeating: 1, count: 1000)))).value.data.count == 1000)
        let error = try await sender.expectFailure(.responseTooLarge, serve(.bytes(Array(repeating: 1, count: 1001))))
        #expect(error.reason == "the body is larger than limits.responseSize, 1000 bytes")
    }

    @Test(arguments: [LoopbackResponse.endlessBody(), .endlessBody(isChunked: true)])
    func anEndlessBodyEnds(response: LoopbackResponse) async throws {
        let sender = try makeSender { $0.limits.responseSize = 1 << 20 }
        try await sender.expectFailure(.responseTooLarge, serve(response))
        try await server.waitForConnections(open: 0)
    }

    @Test func theHeadersOfAnAnnouncedLengthAreNoReasonToFailAHead() async throws {
        let sender = try makeSender { $0.limits.responseSize = 10 }
        #expect(try await sender.send(.head, serve(.text("12345678901234567890"))).value.status == 200)
    }

    /// 200 MiB of zeros in two layers of gzip, 1 KiB in all.
    @Test func aDecompressionBombMeetsTheLimit() async throws {
        let bomb = try Bomb.gzipTwice()
        let sender = try makeSender { $0.limits.responseSize = 1 << 20 }
        let response = LoopbackResponse(status: 200, headers: ["Content-Encoding": "gzip, gzip"], body: .bytes(bomb))
        try await sender.expectFailure(.responseTooLarge, serve(response))
    }

    @Test func endlessHeadersMeetTheLimit() async throws {
        // Lines so long that their number meets no limit of libcurl's own before.
        let line = "X-Filler: \(String(repeating: "a", count: 1000))"
        let error = try await makeSender().expectFailure(.headersTooLarge, serve(.endlessHeaders(line)))
        #expect(error.reason == "the headers are larger than maxHeaderSize, 262144 bytes")
        try await server.waitForConnections(open: 0)
    }

    @Test(arguments: [1000, 16 << 20])
    func aHeaderLineWithoutAnEndMeetsTheLimit(limit: Int) async throws {
        let sender = try makeSender { $0.maxHeaderSize = limit }
        let line = "X-Long: " + String(repeating: "a", count: 4 << 20)
        try await sender.expectFailure(.headersTooLarge, serve(.raw("HTTP/1.1 200 OK\r\n\(line)\r\n")))
    }

    @Test func endlessInterimAnswersMeetTheLimit() async throws {
        server.onExchange(.get, "/interim") { exchange in
            let block = Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 2000).utf8)
            for _ in 0..<10 { exchange.sendRaw(block) }
        }
        try await makeSender().expectFailure(.headersTooLarge, server.url("/interim"))
    }

    @Test func endlessTrailersMeetTheLimit() async throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n"
        let trailers = String(repeating: "X-Trailer: 0123456789\r\n", count: 20_000)
        try await makeSender().expectFailure(.headersTooLarge, serve(.raw(head + trailers)))
    }

    @Test func headersMayBeAsLargeAsTheLimit() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        for (limit, fits) in [(head.utf8.count, true), (head.utf8.count - 1, false)] {
            let sender = try makeSender { $0.maxHeaderSize = limit }
            if fits {
                #expect(try await sender.send(.get, serve(.raw(head))).value.status == 200)
            } else {
                try await sender.expectFailure(.headersTooLarge, serve(.raw(head)))
            }
        }
    }

    @Test func aDrippingServerMeetsTheTimeLimit() async throws {
        let sender = try makeSender { $0.timeouts.request = .milliseconds(300) }
        let drip = LoopbackResponse.text(String(repeating: "a", count: 1000)).dripping(1, every: .milliseconds(5))
        try await sender.expectFailure(.requestTimedOut, serve(drip))
    }

    @Test func aHeadThatComesByteByByteMeetsTheTimeLimit() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Long: \(String(repeating: "a", count: 1000))\r\n\r\n"
        let url = serve(.raw(head).dripping(1, every: .milliseconds(5)))
        let sender = try makeSender { $0.timeouts.request = .milliseconds(300) }
        let error = try await sender.expectFailure(.requestTimedOut, url)
        #expect(error.reason.hasPrefix("the request took longer than its timeout, "))
        try await server.waitForConnections(open: 0)
    }

    #if compiler(>=6.2)  // Exit tests.
    @Test func whatHasNoEndTakesNoMemory() async throws {
        // In a process of its own: other tests take memory at the same time.
        await #expect(processExitsWith: .success) {
            let tests = try CurlLimitTests()
            let sender = try makeSender { $0.limits.responseSize = 1 << 20 }
            try await sender.expectFailure(.responseTooLarge, tests.serve(.endlessBody()))
            let before = residentKilobytes()
            for _ in 0..<8 {
                try await sender.expectFailure(.responseTooLarge, tests.serve(.endlessBody()))
                try await sender.expectFailure(.responseTooLarge, tests.serve(.endlessBody(isChunked: true)))
                try await sender.expectFailure(.headersTooLarge, tests.serve(.endlessHeaders()))
            }
            expectGrowth(since: before, below: 8 << 10)
        }
    }
    #endif

    @Test func moreRequestsThanTheLimitWaitInLine() async throws {
        server.hold("/held/:id")
        let sender = try makeSender { $0.limits.requestsPerOrigin = 2 }
        let answers = (0..<5).map { sender.send(.get, server.url("/held/\($0)")) }
        // Both of the first are there before one is answered: on its connection the next would overtake the other.
        var exchanges = [try await server.nextRequest("/held/:id"), try await server.nextRequest("/held/:id")]
        let first = Set(exchanges.map { $0.request.parameters["id"] })
        for index in 0..<5 {
            #expect(server.counts.requestsInProgress <= 2)
            exchanges[index].respond(.text(exchanges[index].request.parameters["id"] ?? ""))
            if exchanges.count < 5 { exchanges.append(try await server.nextRequest("/held/:id")) }
        }
        for (index, answer) in answers.enumerated() { #expect(try await answer.value.text == "\(index)") }
        #expect(first == ["0", "1"])
        #expect(server.counts.requestsInProgressAtMost == 2)
        #expect(server.counts.connectionsAccepted == 2)
    }

    @Test func whoIsCanceledInLineIsPassedOver() async throws {
        server.hold("/held")
        server.on(.get, "/echo/:id") { .text($0.parameters["id"] ?? "") }
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let first = sender.send(.get, server.url("/held"))
        let exchange = try await server.nextRequest("/held")
        let answers = (0..<300).map { sender.send(.get, server.url("/echo/\($0)")) }
        for (index, answer) in answers.enumerated() where index % 3 != 1 { answer.cancel() }
        exchange.respond(.text("first"))
        #expect(try await first.value.text == "first")
        for (index, answer) in answers.enumerated() {
            #expect(await answer.end().value?.text == (index % 3 == 1 ? "\(index)" : nil))
        }
        #expect(server.requests("/echo/:id").map(\.path) == (0..<100).map { "/echo/\($0 * 3 + 1)" })
    }

    /// One after the other, and not each within the one before.
    @Test func aLongLineMayFailAtOnce() async throws {
        server.hold("/held")
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let first = sender.send(.get, server.url("/held"))
        let exchange = try await server.nextRequest("/held")
        let folder = try TestFolder()
        let options = RequestOptions(destination: .file(folder.url.appending(path: "a/b"), resuming: true))
        try FileManager.default.createDirectory(at: folder.url.appending(path: "a"), withIntermediateDirectories: true)
        let answers = (0..<20_000).map { _ in sender.send(.get, server.url("/file"), options: options) }
        try FileManager.default.removeItem(at: folder.url.appending(path: "a"))
        exchange.respond(.text("first"))
        #expect(try await first.value.text == "first")
        var codes: [TransportError.Code?: Int] = [:]
        for answer in answers { codes[(await answer.end().error as? TransportError)?.code, default: 0] += 1 }
        #expect(codes == [.destinationFailed: 20_000])
        #expect(server.requestCount("/file") == 0)
    }

    /// A length that no memory holds, and limits of which more can't be counted.
    @Test func limitsWithoutBoundAreNoReasonToFail() async throws {
        let sender = try makeSender {
            $0.limits.responseSize = .max
            $0.maxHeaderSize = .max
            $0.connections.maxIdle = .max
            $0.limits.requestsPerOrigin = .max
        }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n"
        let url = serve(.raw("\(head)x").closing())
        let answers = (0..<4).map { _ in sender.send(.get, url) }
        for answer in answers {
            #expect((await answer.end().error as? TransportError)?.code == .truncatedResponse)
        }
    }

    @Test func theLineIsOneForEachOrigin() async throws {
        let other = try LoopbackServer()
        for server in [server, other] { server.hold("/held") }
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let answers = [sender.send(.get, server.url("/held")), sender.send(.get, other.url("/held"))]
        try await server.nextRequest("/held").respond(.text("a"))
        try await other.nextRequest("/held").respond(.text("b"))
        #expect(try await answers[0].value.text == "a")
        #expect(try await answers[1].value.text == "b")
    }
}

extension Bomb {
    /// 200 MiB of zeros, compressed with `gzip -9n` twice.
    fileprivate static func gzipTwice() throws -> [UInt8] {
        try Array(#require(Data(base64Encoded: base64)))
    }

    private static let base64 =
        """
        H4sIAAAAAAACA+3cPS5EURzG4TMfkomIj0KlYBkaiYlES4J6MguwAoWbTFQaC7AHlQWIxg58VBYgCoVKXO5dxnmfpzr1v3xz\
        8tu+npTOcPTxMBj8P5qb37vPyXIBAAAAKte8LkbdGFB22ufD4zMAAACgdvO11XE/CvzMtqbOAQAAANW72ttd738IfF2ej50D\
        AAAAqrf5/b7fbwFP7f3GqXsAAABA9V4EAwAAACCKYAAAAABkEQwAAACALIIBAAAAEEYwAAAAALIIBgAAAEAWwQAAAADIIhgA\
        AAAAYQQDAAAAIItgAAAAAGQRDAAAAIAsggEAAAAQRjAAAAAAsggGAAAAQBbBAAAAAMgiGAAAAABhBAMAAAAgi2AAAAAAZBEM\
        AAAAgCyCAQAAABBGMAAAAACyCAYAAABAFsEAAAAAyCIYAAAAAGEEAwAAACCLYAAAAABkEQwAAACALIIBAAAAEEYwAAAAALII\
        BgAAAEAWwQAAAADIIhgAAAAAYQQDAAAAIItgAAAAAGQRDAAAAIAsggEAAAAQRjAAAAAAsggGAAAAQBbBAAAAAMgiGAAAAABh\
        BAMAAAAgi2AAAAAAZBEMAAAAgCyCAQAAABDmbXEw7LaAaTu7eCwAAFTidmk+OToppVn5A22ESVhUHAMA
        """
}
#endif
