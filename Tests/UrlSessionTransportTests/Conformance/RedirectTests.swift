import Logging
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

struct RedirectTests {

    @Test(
        arguments: SenderKind.allCases,
        [
            (301, "GET", "GET"), (302, "HEAD", "HEAD"), (303, "HEAD", "HEAD"), (308, "GET", "GET"),
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
            (308, "POST", "POST"), (301, "PUT", "PUT"), (302, "PATCH", "PATCH"), (303, "PUT", "GET"),
            (307, "DELETE", "DELETE"),
        ] as [(Int, HttpMethod, String)])
    func methodAndBodyGoAsTheStandardSays(kind: SenderKind, example: (Int, HttpMethod, String)) async throws {
        let (status, method, after) = example
        let server = try LoopbackServer()
        server.on(.any, "/old", respond: .redirect(to: "/new?b=1", status: status))
        server.on(.any, "/new", respond: .text("here"))
        let carriesBody = ["POST", "PUT", "PATCH"].contains(method.rawValue)
        let request = server.request(
            method, "/old", headers: carriesBody ? ["Content-Type": "text/plain"] : [:],
            body: carriesBody ? .data(Data("body".utf8)) : .empty)
        let response = try await kind.sender().observed(request).value
        #expect(response.url == server.url("/new?b=1"))
        #expect(response.metrics.redirects == 1)
        let seen = try #require(server.requests.last)
        #expect(seen.target == "/new?b=1")
        #expect(seen.method.rawValue == after)
        let keepsBody = carriesBody && after == method.rawValue
        #expect(seen.text == (keepsBody ? "body" : ""))
        #expect(seen.headers["Content-Type"] == (keepsBody ? "text/plain" : nil))
        if after == "GET" { #expect(seen.headers["Content-Length"] == nil) }
    }

    @Test(
        arguments: SenderKind.allCases,
        [
            ("/o?sig=a%2Bb&q=[1]", "/o?sig=a%2Bb&q=%5B1%5D#part"), ("/a%20b|c#own", "/a%20b%7Cc#own"),
            ("../x/./y", "/x/y#part"), ("ORIGIN/a/../b", "/b#part"), ("?b", "/d/old?b#part"),
        ])
    func aLocationIsResolvedAsTheStandardSays(kind: SenderKind, example: (String, String)) async throws {
        let server = try LoopbackServer()
        server.on(.get, "*", respond: .text("here"))
        let location = example.0.replacing("ORIGIN", with: server.url.absoluteString)
        server.on(.get, "/d/old", inOrder: [.redirect(to: location), .text("here")])
        let response = try await kind.sender().send(server.request(.get, "/d/old#part"))
        #expect(response.url.absoluteString == server.url.absoluteString + example.1)
        #expect(server.requests.last?.target == String(example.1.prefix { $0 != "#" }))
    }

    @Test(arguments: SenderKind.allCases, ["/a\tb", "ORIGIN/a\tb", "http://", "1:2"])
    func aLocationThatIsNoUrlIsInvalid(kind: SenderKind, location: String) async throws {
        let server = try LoopbackServer()
        let location = location.replacing("ORIGIN", with: server.url.absoluteString)
        server.on(.get, "/old", respond: .redirect(to: location))
        let error = try await kind.sender().error(server.request(.get, "/old"))
        #expect(error?.code == .invalidResponse)
        #expect(error?.reason == "the Location of a redirect is no valid URL")
    }

    @Test(arguments: SenderKind.allCases)
    func aResponseSaysWhetherItsServerGotTheCredentials(kind: SenderKind) async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        server.on(.get, "/near", respond: .redirect(to: "/end"))
        server.on(.get, "/far", respond: .redirect(to: other.url("/end").absoluteString))
        server.on(.get, "/there-and-back", respond: .redirect(to: other.url("/back").absoluteString))
        other.on(.get, "/back", respond: .redirect(to: server.url("/end").absoluteString))
        for server in [server, other] { server.on(.get, "/end", respond: .status(401)) }
        let sender = try kind.sender()
        for (path, gotThem) in [("/end", true), ("/near", true), ("/far", false), ("/there-and-back", false)] {
            let response = try await sender.send(server.request(.get, path))
            #expect(response.isOfReceiver == gotThem, "\(path)")
        }
    }

    @Test(arguments: SenderKind.allCases)
    func theBodyOfARedirectIsNoPartOfTheAnswer(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/old", respond: .text("moved", status: 302).header("Location", "/new"))
        server.on(.get, "/new", respond: .text("here"))
        let response = try await kind.sender().observed(server.request(.get, "/old")).value
        #expect(String(decoding: response.data, as: UTF8.self) == "here")
    }

    @Test(arguments: SenderKind.allCases)
    func eachRedirectIsToldTheLog(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.post, "/old", respond: .redirect(to: "/middle", status: 308))
        server.on(.post, "/middle", respond: .redirect(to: "/new?token=t", status: 303))
        server.on(.get, "/new", respond: .text("here"))
        let sender = try kind.sender()
        let journal = Journal()
        let observer = journal.record {
            sender.observed(server.request(.post, "/old", body: .data(Data("body".utf8))))
        }
        #expect(try await observer.value.status == 200)
        let lines = journal.records.compactMap { $0.entry as? Log }
        #expect(lines.map(\.id) == ["RequestSenderNode", "RequestSenderNode"])
        #expect(
            lines.map(\.message) == [
                "status 308, redirected to POST \(server.url("/middle")), body of 4 bytes",
                "status 303, redirected to GET \(server.url("/new"))?token=***",
            ])
        let plain = Journal()
        _ = try await plain.record { sender.observed(server.request(.get, "/new")) }.value
        #expect(plain.records.isEmpty)
    }

    @Test(arguments: SenderKind.allCases)
    func secretsStayWithTheirOrigin(kind: SenderKind) async throws {
        let other = try LoopbackServer()
        other.on(.get, "*", respond: .text("there"))
        let server = try LoopbackServer()
        server.on(.get, "/same", respond: .redirect(to: "/other"))
        server.on(.get, "/other", respond: .redirect(to: other.url("/x").absoluteString))
        let headers: HttpHeaders = [
            "Authorization": "Bearer 1", "Cookie": "a=1", "X-Api-Key": "1", "X-Own-Secret": "1", "X-Other": "1",
        ]
        let sender = try kind.sender { $0.redirects.sensitiveHeaders.insert("x-own-secret") }
        let response = try await sender.observed(server.request(.get, "/same", headers: headers)).value
        #expect(response.metrics.redirects == 2)
        let names = ["Authorization", "Cookie", "X-Api-Key", "X-Own-Secret", "X-Other"]
        let same = try #require(server.requests("/other").first)
        #expect(names.filter { same.headers[$0] != nil } == names)
        let elsewhere = try #require(other.requests.first)
        #expect(names.filter { elsewhere.headers[$0] != nil } == ["X-Other"])
    }

    /// Fields about a body that is no longer sent (RFC 9110 §15.4), whatever comes after `Content-`.
    @Test(arguments: SenderKind.allCases, [301, 302, 303])
    func aGetAfterAPostHasNoHeaderAboutABody(kind: SenderKind, status: Int) async throws {
        let server = try LoopbackServer()
        server.on(.post, "/old", respond: .redirect(to: "/new", status: status))
        server.on(.get, "/new", respond: .text("here"))
        let headers: HttpHeaders = [
            "Content-Type": "text/plain", "content-md5": "x", "Content-Disposition": "attachment",
            "Content-Range": "bytes 0-3/9", "Content-Own": "1", "Digest": "sha-256=x", "Repr-Digest": "sha-256=:x:",
            "Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT", "Trailer": "X-Sum", "X-Other": "1", "Contents": "1",
        ]
        let body = RequestBody.data(Data("body".utf8))
        _ = try await kind.sender().send(server.request(.post, "/old", headers: headers, body: body))
        let seen = try #require(server.requests("/new").first)
        #expect(headers.fields.map(\.name).filter { seen.headers[$0] != nil } == ["X-Other", "Contents"])
    }

    /// What is masked in a log is a secret for a redirect, too.
    @Test(arguments: SenderKind.allCases)
    func whatIsMaskedStaysWithItsOrigin(kind: SenderKind) async throws {
        let other = try LoopbackServer()
        other.on(.get, "*", respond: .text("there"))
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .redirect(to: other.url("/x").absoluteString))
        let headers: HttpHeaders = [
            "Private-Token": "1", "X-Vault-Token": "1", "X-Session": "1", "X-Declared": "1", "Host": "a.example",
            "X-Other": "1", "Accept": "text/plain",
        ]
        for isMasked in [true, false] {
            other.forgetRequests()
            var options = RequestOptions()
            options.redaction = isMasked ? .standard.adding(headers: ["x-declared"]) : .none
            _ = try await kind.sender().send(server.request(headers: headers, options: options))
            let seen = try #require(other.requests.first)
            let names = ["Private-Token", "X-Vault-Token", "X-Session", "X-Declared", "X-Other"]
            let rest = isMasked ? ["X-Other"] : ["X-Declared", "X-Other"]
            #expect(names.filter { seen.headers[$0] != nil } == rest)
            #expect(seen.headers["Host"] != "a.example")
        }
    }

    @Test(arguments: SenderKind.allCases)
    func moreRedirectsThanAllowedAreAnError(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/loop", respond: .redirect(to: "/loop"))
        for limit in [20, 3] {
            server.forgetRequests()
            let sender = try kind.sender { $0.redirects.limit = limit }
            let error = await sender.error(server.request(.get, "/loop"))
            #expect(error?.code == .tooManyRedirects)
            #expect(error?.redirects == limit)
            #expect(server.requests("/loop").count == limit + 1)
        }
    }

    @Test(arguments: SenderKind.allCases)
    func aLimitOfZeroHandsOverTheRedirect(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .text("moved", status: 302).header("Location", "/new"))
        let response = try await kind.sender { $0.redirects.limit = 0 }.observed(server.request()).value
        #expect(response.status == 302)
        #expect(response.headers["Location"] == "/new")
        #expect(String(decoding: response.data, as: UTF8.self) == "moved")
        #expect(server.counts.requests == 1)
    }

    @Test(arguments: SenderKind.allCases)
    func aRedirectWithoutALocationIsAnAnswer(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .status(302))
        let response = try await kind.sender().observed(server.request()).value
        #expect(response.status == 302)
    }

    @Test(arguments: SenderKind.allCases)
    func anErrorBehindARedirectTellsThatServersGotTheRequest(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.post, "/", respond: .redirect(to: try ClosedPort.url("/x").absoluteString, status: 307))
        let request = server.request(.post, body: .data(Data("body".utf8)))
        let sender = try kind.sender()
        let error = await thrown(TransportError.self) { try await sender.observed(request).value }
        #expect(error?.code == (kind == .urlSession ? .cannotConnect : .connectionRefused))
        #expect(error?.redirects == 1)
    }

    @Test(arguments: SenderKind.allCases, ["file:///etc/hostname", "ftp://127.0.0.1/x"])
    func onlyHttpIsFollowed(kind: SenderKind, location: String) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .redirect(to: "/far"))
        server.on(.get, "/far", respond: .redirect(to: location))
        let error = try await kind.sender().error(server.request())
        #expect(error?.code == .insecureRedirect)
        #expect(error?.redirects == 1)
    }

    @Test(
        arguments: SenderKind.allCases,
        [
            (.text("a").header("Content-Length", "9").closing(), .truncatedResponse), (.neverAnswer, .requestTimedOut),
            (.repeating([0x61], length: 100_000), .responseTooLarge),
        ] as [(LoopbackResponse, TransportError.Code)])
    func anErrorOfALaterHopTellsOfTheRedirects(
        kind: SenderKind, example: (answer: LoopbackResponse, code: TransportError.Code)
    ) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .redirect(to: "/end"))
        server.on(.get, "/end", respond: example.answer)
        let sender = try kind.sender {
            $0.limits.responseSize = 1_000
            if example.code == .requestTimedOut { $0.timeouts.request = .milliseconds(500) }
        }
        let error = await sender.error(server.request())
        #expect(error?.code == example.code)
        #expect(error?.redirects == 1)
    }

    @Test(arguments: SenderKind.allCases)
    func aBodyThatIsGoneWhenARedirectAsksForItTellsOfTheRedirect(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/old")
        let file = try TemporaryFile(Data("body".utf8))
        let sender = try kind.sender()
        async let failure = sender.error(server.request(.put, "/old", body: .file(file.url)))
        let exchange = try await server.nextRequest("/old")
        file.remove()
        exchange.respond(.redirect(to: "/new", status: 307))
        let error = try await failure
        #expect(error?.code == .uploadFailed)
        #expect(error?.redirects == 1)
        #expect(server.requestCount("/new") == 0)
    }
}
