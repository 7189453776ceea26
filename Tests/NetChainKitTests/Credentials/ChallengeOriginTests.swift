import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the credentials of `.challenge` go, and with which bodies.
struct ChallengeOriginTests {
    private let registry = ChallengeRegistry()

    @Test func credentialsAreKeptForTheirOrigin() async throws {
        let registry = registry
        let auth = ClientAuth.challenge { try registry.grant($0) }
        try await registry.client(auth).get("a/manifests/1").send()
        let sender = ScriptedRequestSender { _ = $0.respond(json: "{}") }
        let other = ApiClient("https://elsewhere.example.com/v2/") {
            $0.sender = sender
            $0.log.sink = .silent
            $0.auth = auth
        }
        try await other.get("a/manifests/1").send()
        #expect(sender.requests.map { $0.headers["Authorization"] } == [nil])
    }

    @Test func aRequestToAnotherOriginIsNotAnswered() async throws {
        let calls = Counter()
        let auth = ClientAuth.challenge { _ in
            calls.add()
            return .bearer("a")
        }
        let (api, sender) = challengedClient(auth) {
            _ = $0.respond(status: 401, headers: ["WWW-Authenticate": "Bearer realm=\"r\""])
        }
        for request in [
            api.get("https://other.example.com/x"),
            api.middleware { request, next in
                var request = request
                request.url = try #require(URL(string: "https://other.example.com/y"))
                return try await next(request)
            }.get("x"),
            api.middleware(at: .aroundRequest) { request, next in
                var request = request
                request.url = try #require(URL(string: "https://other.example.com/z"))
                return try await next(request)
            }.get("x"),
        ] {
            #expect(await thrown(HttpError.self) { try await request.send() }?.status == 401)
        }
        #expect(calls.value == 0)
        #expect(sender.requests.allSatisfy { $0.headers["Authorization"] == nil })
    }

    #if os(Linux)
    @Test func aRedirectToAnotherOriginCarriesNothingAndIsNotAnswered() async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        server.on(.get, "/own") {
            $0.headers["Authorization"] == "Bearer a"
                ? .redirect(to: other.url("/end").absoluteString)
                : .status(401).header("WWW-Authenticate", "Bearer realm=\"own\"")
        }
        other.on(.get, "/end", respond: .status(401).header("WWW-Authenticate", "Bearer realm=\"other\""))
        let calls = Counter()
        let api = try curlClient(of: server) { challenge in
            #expect(challenge["realm"] == "own")
            calls.add()
            return .bearer("a")
        }
        for _ in 0..<2 {
            #expect(await thrown(HttpError.self) { try await api.get("own").send() }?.response.url == other.url("/end"))
        }
        #expect(calls.value == 1)
        #expect(other.requests("/end").allSatisfy { $0.headers["Authorization"] == nil })
        #expect(other.requests("/end").count == 2)
    }

    @Test func aStreamIsNotSentTwice() async throws {
        let server = try LoopbackServer()
        server.on(.put, "/x", respond: .status(401).header("WWW-Authenticate", "Bearer"))
        let calls = Counter()
        let api = try curlClient(of: server) { _ in
            calls.add()
            return .bearer("a")
        }
        let body = RequestBody.stream(
            AsyncStream<Data> {
                $0.yield(Data("abc".utf8))
                $0.finish()
            })
        #expect(await thrown(HttpError.self) { try await api.put("x").body(body).send() }?.status == 401)
        #expect(server.requestCount("/x") == 1 && calls.value == 0)
        // Other bodies are.
        let text = RequestBody.data(Data("abc".utf8))
        #expect(await thrown(HttpError.self) { try await api.put("x").body(text).send() }?.status == 401)
        #expect(server.requests("/x").map(\.text) == ["abc", "abc", "abc"])
    }

    private func curlClient(
        of server: LoopbackServer, _ answer: @escaping @Sendable (AuthChallenge) async throws -> AuthCredentials?
    ) throws -> ApiClient {
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        let sender = try CurlRequestSender(configuration: configuration)
        return ApiClient(server.url("/")) {
            $0.sender = sender
            $0.log.sink = .silent
            $0.auth = .challenge(answer)
        }
    }
    #endif
}
