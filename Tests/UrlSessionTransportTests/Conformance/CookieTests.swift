import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

/// Stored cookies beside those of the caller, over each sender.
struct CookieTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "*", respond: .text("ok"))
        let stored = LoopbackResponse.text("ok").addingHeader("Set-Cookie", "a=1; Path=/")
        server.on(.get, "/store", respond: stored.addingHeader("Set-Cookie", "b=2; Path=/"))
    }

    /// The cookies of a request, whose `Cookie` must be one line (RFC 6265 §5.4).
    private func cookies(of request: LoopbackRequest?) throws -> Set<String> {
        let lines = try #require(request).headers.values(of: "Cookie")
        #expect(lines.count <= 1)
        let pairs = lines.flatMap { $0.split(separator: ";").map { String($0.trimmed) } }
        #expect(Set(pairs).count == pairs.count)
        return Set(pairs)
    }

    private func sender(_ kind: SenderKind) async throws -> any RequestSender {
        let sender = try kind.sender { $0.cookies = .memory }
        _ = try await sender.send(server.request(.get, "/store"))
        return sender
    }

    private func sent(_ sender: any RequestSender, _ path: String, _ headers: HttpHeaders = [:]) async throws -> Set<
        String
    > {
        _ = try await sender.send(server.request(.get, path, headers: headers))
        return try cookies(of: server.requests.last)
    }

    @Test(arguments: SenderKind.allCases)
    func thePairsOfTheCallerWinOverStoredOnesInOneLine(kind: SenderKind) async throws {
        let sender = try await sender(kind)
        #expect(try await sent(sender, "/x", ["Cookie": "a=9; c=3"]) == ["a=9", "b=2", "c=3"])
        #expect(try await sent(sender, "/x", ["cookie": "a=9", "Cookie": "d=4"]) == ["a=9", "b=2", "d=4"])
        #expect(try await sent(sender, "/x", ["Cookie": ""]) == ["a=1", "b=2"])
        // The caller's pairs are not stored.
        #expect(try await sent(sender, "/x") == ["a=1", "b=2"])
    }

    @Test(arguments: SenderKind.allCases)
    func thePairsOfTheCallerWinAfterARedirectThatSetsOne(kind: SenderKind) async throws {
        let redirect = LoopbackResponse.redirect(to: "/end").addingHeader("Set-Cookie", "a=7; Path=/")
        server.on(.get, "/start", respond: redirect.addingHeader("Set-Cookie", "d=4; Path=/"))
        let sender = try await sender(kind)
        #expect(try await sent(sender, "/start", ["Cookie": "a=9"]) == ["a=9", "b=2", "d=4"])
        #expect(try await sent(sender, "/x") == ["a=7", "b=2", "d=4"])
    }

    @Test(arguments: SenderKind.allCases)
    func theServerRemovesACookieThatTheCallerReplaced(kind: SenderKind) async throws {
        let removal = LoopbackResponse.text("ok").addingHeader("Set-Cookie", "a=0; Path=/; Max-Age=0")
        server.on(.get, "/remove", respond: removal)
        let sender = try await sender(kind)
        #expect(try await sent(sender, "/remove", ["Cookie": "a=9"]) == ["a=9", "b=2"])
        #expect(try await sent(sender, "/x") == ["b=2"])
    }

    /// The first request has seen the old cookie, which expires before its response.
    @Test func aCookieThatIsRenewedBesideARequestOutlivesItsExpiration() async throws {
        let short = LoopbackResponse.text("ok").addingHeader("Set-Cookie", "e=1; Path=/; Max-Age=1")
        server.on(.get, "/store-short", respond: short)
        let renewal = LoopbackResponse.text("ok").addingHeader("Set-Cookie", "e=2; Path=/; Max-Age=900")
        server.on(.get, "/renew", respond: renewal)
        server.hold("/slow")
        let sender = try await sender(.curl)
        _ = try await sent(sender, "/store-short")
        let pending = sender.observed(server.request(.get, "/slow", headers: ["Cookie": "c=3"]))
        let exchange = try await server.nextRequest("/slow")
        _ = try await sent(sender, "/renew")
        try await Task.sleep(for: .seconds(2.1))
        exchange.respond(.text("ok"))
        _ = try await pending.value
        #expect(try await sent(sender, "/x") == ["a=1", "b=2", "e=2"])
    }

    /// libcurl takes 127.0.0.1 for secure.
    @Test func aSecureCookieIsNotSentOverHttp() async throws {
        let secure = LoopbackResponse.text("ok").addingHeader("Set-Cookie", "s=1; Path=/; Secure")
        server.on(.get, "/store-secure", respond: secure)
        let sender = try await sender(.urlSession)
        _ = try await sent(sender, "/store-secure")
        #expect(try await sent(sender, "/x") == ["a=1", "b=2"])
    }

    @Test(arguments: SenderKind.allCases)
    func cookiesOfAnotherPathAndOtherAttributesStay(kind: SenderKind) async throws {
        let deep = LoopbackResponse.text("ok").addingHeader("Set-Cookie", "a=5; Path=/deep; HttpOnly; Max-Age=900")
        server.on(.get, "/store-deep", respond: deep)
        let sender = try await sender(kind)
        _ = try await sent(sender, "/store-deep")
        #expect(try await sent(sender, "/x", ["Cookie": "c=3"]) == ["a=1", "b=2", "c=3"])
        #expect(try await sent(sender, "/deep/x", ["Cookie": "c=3"]) == ["a=1", "a=5", "b=2", "c=3"])
        #expect(try await sent(sender, "/deep/x", ["Cookie": "a=9"]) == ["a=9", "b=2"])
        #expect(try await sent(sender, "/deep/x") == ["a=1", "a=5", "b=2"])
    }

    @Test(arguments: SenderKind.allCases)
    func severalCookieFieldsOfTheCallerAreOneLine(kind: SenderKind) async throws {
        let sender = try kind.sender()
        #expect(try await sent(sender, "/x", ["Cookie": "a=9; b=1", "cookie": "c=3"]) == ["a=9", "b=1", "c=3"])
    }

    @Test(arguments: SenderKind.allCases)
    func cookiesOfAStreamsHeadAreStoredBeforeItsBodyEnds(kind: SenderKind) async throws {
        let sender = try await sender(kind)
        server.hold("/stream")
        let options = RequestOptions(destination: .stream)
        let pending = sender.observed(server.request(.get, "/stream", headers: ["Cookie": "a=9"], options: options))
        let exchange = try await server.nextRequest("/stream")
        exchange.sendHead(headers: ["Set-Cookie": "e=5; Path=/", "Content-Type": "text/plain"])
        exchange.sendBody(Array("first".utf8))
        let response = try await pending.value
        #expect(try await sent(sender, "/x") == ["a=1", "b=2", "e=5"])
        withExtendedLifetime(response) {}
    }
}
