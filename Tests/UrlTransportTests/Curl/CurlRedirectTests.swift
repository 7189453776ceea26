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

struct CurlRedirectTests {
    private let server: LoopbackServer
    private let other: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        other = try LoopbackServer()
        sender = try makeSender()
        for server in [server, other] { server.on(.any, "/end", respond: .text("end")) }
    }

    private func redirect(to location: String, status: Int = 302) -> URL {
        server.on(.any, "/start", respond: .redirect(to: location, status: status))
        return server.url("/start")
    }

    @Test(arguments: [
        (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "HEAD", "HEAD"),
        (301, "DELETE", "DELETE"),
        (302, "POST", "GET"), (302, "PATCH", "PATCH"), (302, "OPTIONS", "OPTIONS"), (303, "GET", "GET"),
        (303, "HEAD", "HEAD"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (307, "POST", "POST"),
        (307, "PUT", "PUT"), (307, "GET", "GET"), (308, "POST", "POST"), (308, "PATCH", "PATCH"), (308, "HEAD", "HEAD"),
    ])
    func theMethodAndTheBodyFollowTheStandard(status: Int, method: String, expected: String) async throws {
        let sent = HttpMethod(rawValue: method)
        let hasBody = ["POST", "PUT", "PATCH"].contains(method)
        let response = try await sender.send(
            sent, redirect(to: "/end", status: status),
            headers: hasBody
                ? ["Content-Type": "text/plain", "Content-Language": "en", "Digest": "sha-256=x", "X-Own": "1"]
                : ["X-Own": "1"],
            body: hasBody ? .data(Data("body".utf8)) : .empty
        ).value
        #expect((response.status, response.url) == (200, server.url("/end")))
        #expect(response.text == (expected == "HEAD" ? "" : "end"))
        #expect((response.request.url, response.request.method) == (server.url("/start"), sent))
        #expect(response.metrics.redirects == 1)
        let received = try #require(server.requests("/end").last)
        let keepsBody = hasBody && expected == method
        #expect((received.method.rawValue, received.text) == (expected, keepsBody ? "body" : ""))
        #expect(received.headers["X-Own"] == "1")
        #expect(received.headers["Content-Type"] == (keepsBody ? "text/plain" : nil))
        #expect(received.headers["Content-Language"] == (keepsBody ? "en" : nil))
        #expect(received.headers["Digest"] == (keepsBody ? "sha-256=x" : nil))
        #expect(received.headers["Content-Length"] == (keepsBody ? "4" : nil))
    }

    @Test func aGetAfterAPostExpectsNothing() async throws {
        _ = try await sender.send(
            .post, redirect(to: "/end", status: 303), headers: ["Expect": "100-continue"],
            body: .data(Data("body".utf8))
        ).value
        #expect(server.requests("/start").last?.headers["Expect"] == "100-continue")
        #expect(server.requests("/end").last?.headers["Expect"] == nil)
    }

    @Test(arguments: [
        ("end", "/end"), ("/end?a=1", "/end?a=1"), ("./end", "/end"), ("/end#part", "/end"), ("/a b/../end", "/end"),
        ("?x=1", "/start?x=1"),
    ])
    func relativeLocationsAreUnderstood(location: String, target: String) async throws {
        server.on(.get, "/start", inOrder: [.redirect(to: location), .text("end")])
        #expect(try await sender.text(.get, server.url("/start")) == "end")
        #expect(server.requests.last?.target == target)
    }

    @Test(arguments: [
        ("/o?sig=a%2Bb&q=[1]", "/o?sig=a%2Bb&q=%5B1%5D"), ("/a%20b|c", "/a%20b%7Cc"), ("/100%?a=%", "/100%25?a=%25"),
        ("/a/./b/../c", "/a/c"), ("/../a", "/a"), ("/a//b//", "/a//b//"), ("/a?b=/../c", "/a?b=/../c"),
        ("/ü", "/%C3%BC"), ("/%2e%2e/a", "/%2e%2e/a"), ("?", "/d/start?"), ("x", "/d/x"), ("../x", "/x"),
        ("ORIGIN/a/../b|%20", "/b%7C%20"), ("//HOST/a/./b", "/a/b"), ("?x=[1]%2B", "/d/start?x=%5B1%5D%2B"),
        ("/a\u{A0}", "/a%C2%A0"), ("/a#b%20[", "/a"),
    ])
    func whatALocationSaysIsSent(location: String, target: String) async throws {
        let origin = server.url.absoluteString
        let location = location.replacing("ORIGIN", with: origin).replacing("HOST", with: "127.0.0.1:\(server.port)")
        server.on(.get, "*", respond: .text("end"))
        server.on(.get, "/d/start", inOrder: [.redirect(to: location), .text("end")])
        let response = try await sender.send(.get, server.url("/d/start?a=1")).value
        // libcurl 8.8 and newer leave out a `?` without a query.
        let sent = target.hasSuffix("?") && isLibcurl(atLeast: 8, 8) ? String(target.dropLast()) : target
        #expect(server.requests.last?.target == sent)
        #expect(response.url.absoluteString.prefix { $0 != "#" } == origin + target)
    }

    @Test(arguments: [
        ("/end", "/end#part"), ("/end#own", "/end#own"), ("/end#", "/end#"), ("ORIGIN/end", "/end#part"),
        ("OTHER/end", "OTHER/end#part"), ("?b", "/start?b#part"), ("#own", "/start?a#own"),
    ])
    func aTargetWithoutAFragmentInheritsIt(location: String, expected: String) async throws {
        let (origin, otherOrigin) = (server.url.absoluteString, other.url.absoluteString)
        func filled(_ text: String) -> String {
            text.replacing("ORIGIN", with: origin).replacing("OTHER", with: otherOrigin)
        }
        server.on(.get, "/start", inOrder: [.redirect(to: filled(location)), .text("end")])
        let response = try await sender.send(.get, server.url("/start?a#part")).value
        let whole = filled(expected)
        #expect(response.url.absoluteString == (whole.hasPrefix("/") ? origin + whole : whole))
    }

    @Test(arguments: ["/a\tb", "/a\u{1}", "/a\u{7F}b", "ORIGIN/a\tb", "a\tb", "?\t1", "http://", "http://h:x/", "1:2"])
    func aLocationThatIsNoUrlIsInvalid(location: String) async throws {
        let location = location.replacing("ORIGIN", with: server.url.absoluteString)
        let error = try await sender.expectFailure(.invalidResponse, redirect(to: location))
        #expect(error.reason == "the Location of a redirect is no valid URL")
        #expect(server.requests.count == 1)
    }

    @Test func bytesOfALocationStayTheSame() async throws {
        let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /caf".utf8)
        server.on(.get, "*", respond: .text("end"))
        server.onExchange(.get, "/start") { exchange in
            exchange.sendRaw(head + [0xE9] + Array("\r\n\r\n".utf8))
            exchange.finish()
        }
        #expect(try await sender.text(.get, server.url("/start")) == "end")
        #expect(server.requests.last?.target == "/caf%E9")
    }

    @Test func aRedirectFromOneSpellingOfAHostToTheOtherStaysAtItsOrigin() async throws {
        let proxy = server.url
        let sender = try makeSender { $0.proxy = .url(proxy) }
        server.on(.get, "/start", respond: .redirect(to: "http://xn--bcher-kva.example:80/middle"))
        server.on(.get, "/middle", respond: .redirect(to: "http://BÜCHER.example/end"))
        let url = try #require(URL(string: "http://b%C3%BCcher.example/start"))
        _ = try await sender.send(.get, url, headers: ["Authorization": "hunter2"]).value
        #expect(server.requests.map { $0.headers["Authorization"] } == ["hunter2", "hunter2", "hunter2"])
        #expect(server.requests.last?.target == "http://xn--bcher-kva.example/end")
    }

    @Test func aBodyFromAFileIsSentAgainWhole() async throws {
        let folder = try TestFolder()
        let bytes = [UInt8](repeating: 7, count: 200_000)
        let body = try RequestBody.file(try folder.file("a", bytes))
        _ = try await sender.send(.put, redirect(to: other.url("/end").absoluteString, status: 308), body: body).value
        #expect(other.requests.last?.body == bytes)
    }

    @Test func aBodyThatCantBeSentAgainIsAnError() async throws {
        let folder = try TestFolder()
        let file = try folder.file("a", [1, 2, 3])
        let body = try RequestBody.file(file)
        server.on(.put, "/start") { _ in
            try FileManager.default.removeItem(at: file)
            return .redirect(to: "/end", status: 307)
        }
        try await sender.expectFailure(.uploadFailed, .put, server.url("/start"), body: body)
        #expect(server.requestCount("/end") == 0)
    }

    @Test func secretsStayWithTheirOrigin() async throws {
        let sender = try makeSender { $0.redirects.sensitiveHeaders.insert("X-My-Secret") }
        let secrets: HttpHeaders = [
            "authorization": "hunter2", "COOKIE": "hunter2", "Proxy-Authorization": "hunter2", "x-api-key": "hunter2",
            "Api-Key": "hunter2", "X-Auth-Token": "hunter2", "X-Access-Token": "hunter2", "x-my-secret": "hunter2",
            "Host": "virtual.example", "X-Own": "1",
        ]
        for location in ["/end", other.url("/end").absoluteString, "http://localhost:\(server.port)/end"] {
            _ = try await sender.send(.get, redirect(to: location), headers: secrets).value
        }
        let same = try #require(server.requests("/end").first).headers
        // `Proxy-Authorization` is for a proxy only.
        #expect(same.fields.count { $0.value == "hunter2" } == 7)
        #expect(same["Host"] == "virtual.example")
        let foreign = try #require(other.requests.first).headers
        #expect(foreign.fields.filter { $0.value == "hunter2" } == [])
        #expect((foreign["Host"], foreign["X-Own"]) == ("127.0.0.1:\(other.port)", "1"))
        let foreignHost = try #require(server.requests("/end").last).headers
        #expect(foreignHost.fields.filter { $0.value == "hunter2" } == [])
        #expect(foreignHost["Host"] == "localhost:\(server.port)")
    }

    @Test func secretsDoNotComeBackWithAWayBack() async throws {
        other.on(.get, "/back", respond: .redirect(to: server.url("/end").absoluteString))
        _ = try await sender.send(
            .get, redirect(to: other.url("/back").absoluteString), headers: ["Authorization": "hunter2"]
        ).value
        #expect(server.requests("/end").last?.headers["Authorization"] == nil)
    }

    @Test func userInfoStaysWithItsOriginToo() async throws {
        let host = "127.0.0.1:\(server.port)"
        for location in ["/end", "http://\(host)/end", "//\(host)/end", "HTTP://\(host)/end"] {
            _ = redirect(to: location)
            let url = try #require(URL(string: "http://bob:hunter2@\(host)/start"))
            let response = try await sender.send(.get, url).value
            #expect(server.requests("/end").last?.headers["Authorization"] == "Basic Ym9iOmh1bnRlcjI=")
            #expect(response.url.absoluteString.hasSuffix("//bob:hunter2@\(host)/end"))
            server.forgetRequests()
        }
        for location in [other.url("/end").absoluteString, "http://localhost:\(server.port)/end"] {
            _ = redirect(to: location)
            _ = try await sender.send(.get, try #require(URL(string: "http://bob:hunter2@\(host)/start"))).value
        }
        #expect(try #require(other.requests.first).headers["Authorization"] == nil)
        #expect(try #require(server.requests("/end").last).headers["Authorization"] == nil)
        _ = redirect(to: "http://eve:word@\(host)/end")
        _ = try await sender.send(.get, try #require(URL(string: "http://bob:hunter2@\(host)/start"))).value
        #expect(server.requests("/end").last?.headers["Authorization"] == "Basic ZXZlOndvcmQ=")
    }

    /// libcurl and Foundation must not take different hosts out of one location.
    @Test(arguments: ["http://127.0.0.1:A\\@127.0.0.1:B/end", "http://127.0.0.1:A%5C@127.0.0.1:B/end"])
    func anAmbiguousLocationGetsNoSecrets(location: String) async throws {
        let location = location.replacing("A", with: "\(server.port)").replacing("B", with: "\(other.port)")
        let outcome = await sender.send(.get, redirect(to: location), headers: ["Authorization": "Bearer hunter2"])
            .end()
        #expect(outcome.value?.text == "end", "\(outcome)")
        #expect(server.requests.map(\.target) == ["/start"])
        #expect(other.requests.map(\.target) == ["/end"])
        let authorization = other.requests.map { $0.headers["Authorization"] ?? "" }
        #expect(authorization.allSatisfy { !$0.contains("hunter2") })
    }

    @Test func atMostSoManyRedirectsAreFollowed() async throws {
        server.on(.get, "/loop/:n") { request in
            let number = Int(request.parameters["n"] ?? "") ?? 0
            return number == 0 ? .text("end") : .redirect(to: "/loop/\(number - 1)")
        }
        #expect(try await sender.text(.get, server.url("/loop/20")) == "end")
        let error = try await sender.expectFailure(.tooManyRedirects, server.url("/loop/21"))
        #expect(error.reason == "more redirects than redirects.limit, 20")
        #expect(error.wasProcessed == .yes)
        #expect(error.redirects == 20)
        let strict = try makeSender { $0.redirects.limit = 1 }
        #expect(try await strict.text(.get, server.url("/loop/1")) == "end")
        try await strict.expectFailure(.tooManyRedirects, server.url("/loop/2"))
    }

    @Test func anEndlessLoopEnds() async throws {
        try await sender.expectFailure(.tooManyRedirects, redirect(to: "/start"))
        #expect(server.requestCount("/start") == 21)
    }

    @Test func aRedirectIsAnAnswerWhereNoneIsFollowed() async throws {
        let sender = try makeSender { $0.redirects.limit = 0 }
        let response = try await sender.send(.get, redirect(to: "/end")).value
        #expect((response.status, response.headers["Location"]) == (302, "/end"))
    }

    @Test(arguments: [300, 304, 302])
    func withoutALocationThereIsNothingToFollow(status: Int) async throws {
        server.on(.get, "/start", respond: .status(status))
        #expect(try await sender.send(.get, server.url("/start")).value.status == status)
    }

    @Test(arguments: [
        "ftp://a.example/x", "file:///etc/passwd", "javascript:alert(1)", "gopher://127.0.0.1/x", "data:text/plain,x",
    ])
    func onlyHttpIsFollowed(location: String) async throws {
        let error = try await sender.expectFailure(.insecureRedirect, redirect(to: location))
        #expect(error.reason == "a redirect leads from http to \(location.prefix { $0 != ":" })")
    }

    @Test(arguments: ["http://", "http://a b/", "http://[::1", "http://127.0.0.1:99999/"])
    func aLocationThatIsNoUrlIsNotFollowed(location: String) async throws {
        try await sender.expectFailure(.invalidResponse, redirect(to: location))
    }

    @Test func fromHttpsToHttpIsNotFollowedUnlessAllowed() throws {
        let from = try #require(URL(string: "https://a.example/x"))
        let request = HttpRequest(method: .get, url: from, headers: ["Authorization": "hunter2", "X-Own": "1"])
        func next(_ target: String, _ configuration: CurlConfiguration = CurlConfiguration()) throws -> HttpRequest {
            try HopPlan(request, CurlSettings(configuration)).redirected(302, to: target, count: 0, original: request)
        }
        let error = thrown(TransportError.self) { try next("http://a.example/y") }
        #expect(error?.code == .insecureRedirect)
        #expect(error?.reason == "a redirect leads from https to http")
        #expect(try next("https://b.example/y").url.absoluteString == "https://b.example/y")
        var configuration = CurlConfiguration()
        configuration.redirects.allowsInsecure = true
        let allowed = try next("http://a.example/y", configuration)
        #expect(allowed.url.absoluteString == "http://a.example/y")
        #expect(allowed.headers == ["X-Own": "1"])
    }

    @Test func theTimeLimitCoversAllRedirects() async throws {
        server.on(.get, "/start", respond: .redirect(to: "/start").delayed(by: .milliseconds(40)))
        try await sender.expectFailure(
            .requestTimedOut, server.url("/start"), options: RequestOptions(timeout: .milliseconds(200)))
        #expect(server.requestCount("/start") < 10)
    }

    @Test func aCancelStopsARedirectToo() async throws {
        server.hold("/held")
        let answer = sender.send(.get, redirect(to: "/held"))
        let exchange = try await server.nextRequest("/held")
        answer.cancel()
        try await exchange.clientClosed()
        #expect(await answer.end().isCanceled)
    }
}
#endif
