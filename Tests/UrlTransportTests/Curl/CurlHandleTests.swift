#if os(Linux)
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

/// A transfer inherits nothing from an earlier one of its sender, nor from the hop before a redirect: `curl_easy_reset`
/// keeps more than it says.
struct CurlHandleTests {
    private let server: LoopbackServer
    private let other: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        other = try LoopbackServer()
        for server in [server, other] { server.on(.any, "/ok", respond: .text("ok")) }
    }

    private static func folded(_ first: String) -> LoopbackResponse {
        .raw("HTTP/1.1 200 OK\r\n\(first)X-A: 1\r\nContent-Length: 2\r\n\r\n{}")
    }

    /// libcurl 7.84.0 to 8.0.1 appends such a line to the last header of the handle's last transfer, which is freed.
    @Test(arguments: [" ", "\t", "HTTP/1.1 100 Continue\r\n\r\n"])
    func aFoldedFirstLineDoesNotReachAnEarlierTransfersMemory(first: String) async throws {
        let sender = try makeSender()
        let isInterim = first.hasPrefix("HTTP")
        let text = "HTTP/1.1 200 OK\r\n\(isInterim ? " " : first)X-A: 1\r\nContent-Length: 2\r\n\r\n{}"
        server.on(.get, "/folded", respond: .raw(isInterim ? first + text : text))
        for _ in 0..<20 {
            #expect(try await sender.text(.get, server.url("/ok")) == "ok")
            let error = try await sender.expectFailure(.invalidResponse, server.url("/folded"))
            #expect(error.reason == "the first line of the headers continues nothing")
        }
        #expect(server.requestCount("/folded") == 20)
    }

    /// libcurl passes a line to the write callback in parts of 16 KB.
    @Test(arguments: [16_384, 16_385, 50_000])
    func aLongFirstLineOfBlanksIsNoFoldedOne(length: Int) async throws {
        let sender = try makeSender()
        let blanks = String(repeating: " ", count: length)
        server.on(.get, "/long", respond: .raw("HTTP/1.1 200 OK\r\nA:\(blanks)x\r\n y\r\nContent-Length: 2\r\n\r\n{}"))
        for _ in 0..<3 {
            let response = try await sender.send(.get, server.url("/long")).value
            #expect(response.text == "{}" && response.headers["A"] == "x y")
        }
        #expect(server.counts.connectionsAccepted == 1)
    }

    @Test(arguments: [" ", "\t"])
    func aFoldedFirstLineDoesNotReachAnEarlierHopsMemory(first: String) async throws {
        let sender = try makeSender()
        other.on(.get, "/folded", respond: Self.folded(first))
        server.on(.get, "/away", respond: .redirect(to: other.url("/folded").absoluteString))
        for _ in 0..<20 { _ = await sender.send(.get, server.url("/away")).end() }
        #expect(other.requestCount("/folded") == 20)
    }

    // MARK: Cookies

    /// Gives the sender a cookie for the host `virtual.example`, which the caller names in the request's `Host`.
    private func sender(withCookieFrom path: String) async throws -> CurlRequestSender {
        let sender = try makeSender { $0.cookies = .memory }
        let secret = "secret=1; Path=/"
        server.on(.get, "/set", respond: .text("set").header("Set-Cookie", secret))
        let away = other.url("/ok").absoluteString
        server.on(.get, "/set-away", respond: .redirect(to: away).header("Set-Cookie", secret))
        _ = try await sender.send(.get, server.url(path), headers: ["Host": "virtual.example"]).value
        return sender
    }

    @Test func aHostOfTheCallersOwnDoesNotGiveALaterRequestItsCookies() async throws {
        let sender = try await sender(withCookieFrom: "/set")
        _ = try await sender.send(.get, other.url("/ok")).value
        #expect(other.requests.map { $0.headers["Cookie"] } == [nil])
        _ = try await sender.send(.get, server.url("/ok"), headers: ["Host": "virtual.example"]).value
        #expect(server.requests.last?.headers["Cookie"] == "secret=1")
    }

    @Test func aHostOfTheCallersOwnDoesNotGiveARedirectsTargetItsCookies() async throws {
        let sender = try await sender(withCookieFrom: "/set-away")
        #expect(other.requests.map { $0.headers["Cookie"] } == [nil])
        _ = try await sender.send(.get, server.url("/ok"), headers: ["Host": "virtual.example"]).value
        #expect(server.requests.last?.headers["Cookie"] == "secret=1")
    }

    // MARK: Counters and codes

    /// libcurl sends a request again at most five times in the life of a handle.
    @Test func eachDeadConnectionIsReplaced() async throws {
        let sender = try makeSender()
        server.on(.get, "/once") { $0.indexOnConnection == 0 ? .text("ok") : .close }
        for _ in 0..<20 {
            #expect(try await sender.sendWithRetryNode(.get, server.url("/once")).text == "ok")
        }
        #expect(server.counts.connectionsAccepted == 20)
    }

    @Test func anEarlierSystemErrorIsNotALaterOnes() async throws {
        let sender = try makeSender()
        server.on(.get, "/cut", respond: .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12").closing())
        try await sender.expectFailure(.connectionRefused, ClosedPort.url())
        let error = try await sender.expectFailure(.truncatedResponse, server.url("/cut"))
        #expect((error.cause as? CurlError)?.systemError == 0)
    }

    /// Whatever a request sets, the next one has the defaults.
    @Test(arguments: [SenderConfiguration.Cookies.off, .memory])
    func noSettingOfARequestIsTheNextOnes(cookies: SenderConfiguration.Cookies) async throws {
        let sender = try makeSender { $0.cookies = cookies }
        let withUser = try #require(URL(string: "http://bob:pw@127.0.0.1:\(server.port)/ok"))
        for method: HttpMethod in [.get, .head, .post, "PURGE"] {
            _ = try await sender.send(
                method, withUser,
                headers: ["Range": "bytes=0-", "Referer": "http://a.example/", "X-A": "1"],
                body: method == .post ? .data(Data("body".utf8)) : .empty,
                options: RequestOptions(timeout: .seconds(30))
            ).value
            server.forgetRequests()
            #expect(try await sender.text(.get, server.url("/ok")) == "ok")
            let request = try #require(server.requests.last)
            #expect((request.method, request.text) == (.get, ""))
            #expect(Set(request.headers.fields.map(\.name)) == ["Host", "Accept", "User-Agent", "Accept-Encoding"])
        }
    }
}
#endif
