#if os(Linux)
import Glibc
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Every way in which a server, or the way to it, can fail a request.
struct CurlFailureTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender()
    }

    private func serve(_ response: LoopbackResponse) -> URL {
        server.on(.any, "/x", respond: response)
        return server.url("/x")
    }

    @Test func aPortWhereNothingListensRefuses() async throws {
        let error = try await sender.expectFailure(.connectionRefused, .post, ClosedPort.url())
        #expect(error.reason.hasPrefix("the connection was refused: nothing listens there ("))
        #expect((error.cause as? CurlError)?.systemError == ECONNREFUSED)
    }

    @Test func aFailureHasItsFigures() async throws {
        let sent = try await sender.expectFailure(
            .truncatedResponse, .post, serve(.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12").closing()),
            body: .data(Data(count: 7)))
        let figures = try #require(sent.metrics)
        #expect((figures.bytesSent, figures.bytesReceived) == (7, 2))
        #expect((figures.httpVersion, figures.remoteAddress) == ("HTTP/1.1", "127.0.0.1"))
        #expect(figures.firstByte > .zero && figures.total >= figures.firstByte)
        let url = try ClosedPort.url()
        let unsent = try #require(try await sender.expectFailure(.connectionRefused, url).metrics)
        #expect(unsent.total > .zero)
        #expect((unsent.requestStart, unsent.firstByte, unsent.bytesSent) == (.zero, .zero, 0))
    }

    @Test func aNameWithoutAnAddressIsNotFoundOrThereIsNoNetwork() async throws {
        let url = try #require(URL(string: "http://nobody.invalid/"))
        try await sender.expectFailure(SystemNetwork.hasRoute() ? .hostNotFound : .noNetwork, url)
    }

    @Test func aConnectThatTakesTooLongTimesOut() async throws {
        let listener = try FullListener()
        let sender = try makeSender { $0.connectTimeout = .milliseconds(100) }
        try await sender.expectFailure(.connectTimedOut, listener.url)
    }

    /// One after the other, they would need four seconds.
    @Test func manyConnectsThatTakeTooLongTimeOutTogether() async throws {
        let listener = try FullListener()
        let url = try #require(URL(string: "https://127.0.0.1:\(listener.url.port ?? 0)/"))
        let sender = try makeSender { $0.connectTimeout = .milliseconds(500) }
        let start = ContinuousClock.now
        // The sender's thread calls the listeners, so that a busy machine delays the end less than the tasks.
        let ends = Gathered<ContinuousClock.Instant>()
        let answers = (0..<40).map { _ in sender.send(.get, url).onError { _ in ends.append(.now) } }
        for answer in answers {
            let error = await thrown(TransportError.self) { try await answer.value }
            #expect(error?.code == .connectTimedOut)
        }
        // One after the other, they would take 20 s.
        #expect(start.duration(to: ends.all.max() ?? start) < .seconds(10))
    }

    /// The first address refuses the connection, or never answers.
    @Test(arguments: [false, true])
    func theNextAddressIsTried(isSilent: Bool) async throws {
        let port = server.port
        let silent = isSilent ? try FullListener(host: 2, port: port) : nil
        server.on(.get, "/", respond: .text("ok"))
        let sender = try makeSender {
            $0.connectTimeout = .seconds(2)
            $0.addresses.fixed = ["two.test:\(port)": ["127.0.0.2", "127.0.0.1"]]
        }
        let url = try #require(URL(string: "http://two.test:\(port)/"))
        #expect(try await sender.text(.get, url) == "ok")
        withExtendedLifetime(silent) {}
    }

    /// As after a name has moved: a later request has shown that the server can be reached. The limit is less than a second,
    /// after which the system would try again by itself.
    @Test(arguments: [HttpMethod.get, .post])
    func aConnectToWhereTheServerWasIsMadeAgain(method: HttpMethod) async throws {
        // A busy machine may need several rounds to be in time.
        for _ in 0..<10 {
            let listener = try FullListener()
            let sender = try makeSender { $0.connectTimeout = .milliseconds(900) }
            let start = ContinuousClock.now
            let waiting = (0..<2).map { _ in sender.send(method, listener.url) }
            // Has the name resolved anew.
            try await sender.expectFailure(.requestTimedOut, listener.url, options: .init(timeout: .milliseconds(50)))
            listener.serve()
            let later = await sender.send(.get, listener.url).end()
            guard ContinuousClock.now - start < .milliseconds(700) else { continue }
            #expect(later.error == nil)
            var responses = 0
            for answer in waiting { responses += await answer.end().value == nil ? 0 : 1 }
            withExtendedLifetime(listener) {}
            // The system drops packets to a listener whose queue is still full.
            if responses == waiting.count { return }
        }
        Issue.record("the machine is too busy")
    }

    /// Each of them would wait for another limit.
    @Test func connectsToAServerThatIsGoneAreNotMadeAgain() async throws {
        let listener = try FullListener()
        let sender = try makeSender { $0.connectTimeout = .milliseconds(300) }
        let waiting = (0..<8).map { _ in sender.send(.get, listener.url) }
        try await sender.expectFailure(.requestTimedOut, listener.url, options: .init(timeout: .milliseconds(50)))
        for answer in waiting {
            let error = await thrown(TransportError.self) { try await answer.value }
            #expect((error?.code, error?.attempt) == (.connectTimedOut, 1))
        }
        withExtendedLifetime(listener) {}
    }

    @Test func aRequestMayTakeLessThanTheConnect() async throws {
        let listener = try FullListener()
        try await sender.expectFailure(.requestTimedOut, listener.url, options: .init(timeout: .milliseconds(100)))
    }

    /// With HTTP/2, they wait inside libcurl.
    @Test func aRequestThatWaitsForTheConnectionOfAnotherTimesOut() async throws {
        let listener = try FullListener()
        let folder = try TestFolder()
        let url = try #require(URL(string: "https://127.0.0.1:\(listener.url.port ?? 0)/"))
        let sender = try makeSender { $0.httpVersion = .automatic }
        let ends = Gathered<ContinuousClock.Instant>()
        let start = ContinuousClock.now
        // While their files are checked, they don't wait in the sender for the connection of the last one.
        let downloads = (1...3).map { number in
            let options = RequestOptions(timeout: .milliseconds(200), destination: .file(folder.place("\(number)")))
            let request = HttpRequest(method: .get, url: url, options: options)
            return sender.observed(request).onError { _ in ends.append(.now) }
        }
        let last = sender.observed(HttpRequest(method: .get, url: url, options: RequestOptions(timeout: .seconds(8))))
        for download in downloads {
            #expect(await thrown(TransportError.self) { try await download.value }?.code == .requestTimedOut)
        }
        #expect(start.duration(to: ends.all.max() ?? start) < .seconds(4))
        last.cancel()
    }

    @Test func anAnswerThatTakesTooLongTimesOut() async throws {
        let url = serve(.neverAnswer)
        let sender = try makeSender { $0.timeouts.request = .milliseconds(100) }
        let error = try await sender.expectFailure(.requestTimedOut, url)
        #expect(error.reason.hasPrefix("the request took longer than its timeout, "))
        try await server.waitForConnections(open: 0)
    }

    @Test func aRequestsOwnTimeoutWins() async throws {
        let url = serve(.neverAnswer)
        let sender = try makeSender { $0.timeouts.request = .seconds(60) }
        try await sender.expectFailure(.requestTimedOut, url, options: .init(timeout: .milliseconds(100)))
        try await sender.expectFailure(.requestTimedOut, url, options: .init(timeout: .seconds(-1)))
    }

    @Test func theTimeInLineCountsToo() async throws {
        server.hold("/first")
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let first = sender.send(.get, server.url("/first"))
        let exchange = try await server.nextRequest("/first")
        let error = try await sender.expectFailure(
            .requestTimedOut, server.url("/second"), options: .init(timeout: .milliseconds(100)))
        #expect(error.reason.hasSuffix(": it waited for other requests to its origin"))
        #expect(error.wasProcessed == .no)
        exchange.respond(.text("first"))
        #expect(try await first.value.text == "first")
        #expect(server.requestCount("/second") == 0)
    }

    /// The end of the first one makes room for the second, whose time is up by then.
    @Test func aRequestWhoseTimeIsUpIsNotSentAfterAll() async throws {
        server.hold("/")
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        // A queued one fails by itself at most 50 ms after its time is up.
        let requests = [("/", 200), ("/second", 160), ("/third", 160)].map { path, time in
            sender.observed(
                HttpRequest(
                    method: .post, url: server.url(path), options: RequestOptions(timeout: .milliseconds(time))))
        }
        for request in requests {
            #expect(await thrown(TransportError.self) { try await request.value }?.code == .requestTimedOut)
        }
        #expect(server.requestCount("/second") == 0)
        #expect(server.requestCount("/third") == 0)
    }

    @Test func timeoutsOfAnyLengthAreUnderstood() async throws {
        let url = serve(.text("ok"))
        let sender = try makeSender {
            $0.connectTimeout = .seconds(Int64.max)
            $0.timeouts.request = .seconds(Int64.max)
            $0.timeouts.stall = .seconds(Int64.max)
        }
        #expect(try await sender.text(.get, url) == "ok")
    }

    @Test func anAnswerThatStopsComingHasStalled() async throws {
        let sender = try makeSender { $0.timeouts.stall = .seconds(1) }
        let error = try await sender.expectFailure(
            .stalled, serve(.text(String(repeating: "a", count: 1000)).stalling(afterBytes: 500)))
        let received = try #require(error.metrics?.bytesReceived)
        #expect((1..<1000).contains(received))
        #expect(
            error.reason
                == "no byte moved for 1.0 seconds; \(received) of 1000 bytes of the response's body were received")
        try await server.waitForConnections(open: 0)
    }

    @Test func aServerThatNeverAnswersHasStalledToo() async throws {
        let sender = try makeSender { $0.timeouts.stall = .seconds(1) }
        try await sender.expectFailure(.stalled, .post, serve(.neverAnswer), body: .data(Data(count: 10)))
    }

    @Test(arguments: [HttpMethod.get, .post], [LoopbackResponse.close, .reset])
    func aConnectionThatEndsWithoutAResponseWasLost(method: HttpMethod, end: LoopbackResponse) async throws {
        let error = try await sender.expectFailure(.connectionLost, method, serve(end))
        #expect(error.wasProcessed == .unknown)
        #expect(server.requestCount("/x") == 1)
    }

    @Test func aResponseThatIsCutWasProcessed() async throws {
        let error = try await sender.expectFailure(
            .truncatedResponse, serve(.text(String(repeating: "a", count: 1000)).closing(afterBytes: 500)))
        #expect(error.wasProcessed == .yes)
        let received = try #require(error.metrics?.bytesReceived)
        #expect(error.reason.hasPrefix("the connection ended before the whole response was received ("))
        #expect(error.reason.hasSuffix("; \(received) of 1000 bytes of the response's body were received"))
    }

    @Test(arguments: [HttpMethod.get, .post])
    func aRequestThatWasNotSentWasNotProcessed(method: HttpMethod) async throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/x"))
        let error = try await sender.expectFailure(.connectionRefused, method, url)
        #expect(error.wasProcessed == .no)
    }

    @Test func aConnectionThatFailedWasNotUsedBefore() async throws {
        let full = try FullListener()
        let sender = try makeSender { $0.connectTimeout = .milliseconds(200) }
        for (text, code) in [
            ("http://127.0.0.1:1/x", .connectionRefused), ("https://127.0.0.1:1/x", .connectionRefused),
            ("http://nobody.invalid/x", nil), (full.url.absoluteString, .connectTimedOut),
        ] as [(String, TransportError.Code?)] {
            let url = try #require(URL(string: text))
            let error = await thrown(TransportError.self) { try await sender.send(.get, url).value }
            if let code { #expect(error?.code == code) }
            let metrics = try #require(error?.metrics)
            #expect(!metrics.reusedConnection, "\(text)")
            #expect(!"\(error as Any)".contains("reused"))
        }
    }

    /// The server ends each TLS handshake. Nothing was sent, so any request gets another connection.
    @Test(arguments: [HttpMethod.get, .post])
    func aConnectionThatIsLostInItsHandshakeIsReplacedOnce(method: HttpMethod) async throws {
        // The machine may have no certificate authorities.
        let sender = try makeSender { $0.tls.verifiesServer = false }
        let listener = try ClosingListener()
        let error = try await sender.expectFailure(.connectionLost, method, listener.url)
        #expect(error.wasProcessed == .no)
        #expect(error.isRetryable)
        #expect(error.reason.hasPrefix("the connection broke in the TLS handshake ("))
        #expect(error.metrics?.reusedConnection == false)
        #expect(listener.stop() == 2)
    }

    @Test func aConnectionThatIsResetInTheBodyIsATruncatedAnswer() async throws {
        server.hold("/held")
        let received = Context<Int64>()
        let answer = sender.send(
            .get, server.url("/held"),
            options: RequestOptions { if $0.received > 0 { received.emit(data: $0.received) } })
        // A machine under load may be so late that the request has stalled: then nothing is received.
        answer.defer { received.cancel() }
        let exchange = try await server.nextRequest("/held")
        exchange.sendHead(200, headers: ["Content-Length": "100"])
        exchange.sendBody("12345")
        _ = try await received.observer.value
        exchange.reset()
        #expect((await answer.end().error as? TransportError)?.code == .truncatedResponse)
    }

    @Test(arguments: [
        LoopbackResponse.text(String(repeating: "a", count: 100)).closing(afterBytes: 100),
        .chunked(["ab", "cd"], isTerminated: false).closing(),
        .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab").closing(),
        .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n").closing(),
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n").closing(),
    ])
    func aBodyCutShortInAnyFramingIsAnError(response: LoopbackResponse) async throws {
        for method: HttpMethod in [.get, .post] {
            try await sender.expectFailure(.truncatedResponse, method, serve(response))
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: 1\r", "HTTP/1.1 204 No Content\r\nX",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: 1\r\n",
    ])
    func aHeadCutInTheMiddleIsAnError(head: String) async throws {
        for method: HttpMethod in [.get, .head] {
            try await sender.expectFailure(.truncatedResponse, method, serve(.raw(head).closing()))
        }
    }

    @Test(arguments: ["HTTP/1.1 200 OK", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Hints\r\nLink: </a>\r\n"])
    func aResponseCutInItsFirstLineIsNone(start: String) async throws {
        for method: HttpMethod in [.get, .head] {
            try await sender.expectFailure(.connectionLost, method, serve(.raw(start).closing()))
        }
    }

    @Test func aHeadCutByTheServersFaultIsAnError() async throws {
        try await sender.expectFailure(.truncatedResponse, serve(.text("body").closingInsideHead()))
    }

    @Test(arguments: [
        "garbage\r\n\r\n", "HTTP/x.y 200 OK\r\n\r\n", "\0\0\0\0\0\0\0\0\0\0\r\n\r\n", "ICY 200 OK\r\n\r\n",
        "<html></html>",
        "HTTP/1.1 abc OK\r\n\r\n", "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n", "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    ])
    func whatIsNoHttpIsNoAnswer(raw: String) async throws {
        try await sender.expectFailure(.invalidResponse, serve(.raw(raw).closing()))
    }

    @Test(arguments: ["gzip", "deflate", "gzip, gzip", "unheard-of"])
    func aBodyThatCantBeDecompressedIsAnError(form: String) async throws {
        let response = LoopbackResponse(
            status: 200, headers: ["Content-Encoding": form], body: .bytes(Array("no such form of data".utf8)))
        try await sender.expectFailure(.invalidContentEncoding, serve(response))
    }

    @Test func aDamagedBodyIsAnError() async throws {
        var bytes: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 87, 200, 64, 39, 185, 0, 0, 136, 89, 11, 24, 0, 0,
            0,
        ]
        bytes[23] ^= 1
        let response = LoopbackResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: .bytes(bytes))
        try await sender.expectFailure(.invalidContentEncoding, serve(response))
    }

    @Test func aClosedSenderSendsNothing() async throws {
        server.hold("/held")
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let running = sender.send(.get, server.url("/held"))
        let waiting = sender.send(.get, server.url("/waiting"))
        let events = [running.events, waiting.events]
        let exchange = try await server.nextRequest("/held")
        sender.close()
        for (observer, wasProcessed) in [(running, TransportError.Processing.unknown), (waiting, .no)] {
            let error = try #require(await observer.end().error as? TransportError)
            let when = wasProcessed == .unknown ? " before the whole response was received" : ""
            #expect((error.code, error.reason) == (.senderClosed, "the sender was closed\(when)"))
            #expect(error.wasProcessed == wasProcessed)
            #expect((error.metrics != nil) == (wasProcessed == .unknown))
        }
        try await exchange.clientClosed()
        try await sender.expectFailure(.senderClosed, server.url("/later"))
        sender.close()
        #expect(events.map(\.all) == [["failed"], ["failed"]])
        #expect(server.requestCount() == 1)
    }

    @Test func closingASenderClosesItsIdleConnections() async throws {
        let sender = try makeSender()
        _ = try await sender.send(.get, serve(.text("ok"))).value
        sender.close()
        try await server.waitForConnections(open: 0)
        _ = sender
    }
}
#endif
