import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `repeatable()`: a request with an `Idempotency-Key` of its own.
struct RepeatableTests {
    /// Responds with these statuses, and with 200 after them.
    private func sender(_ statuses: Int...) -> ScriptedRequestSender {
        let numbers = Counter()
        return ScriptedRequestSender { exchange in
            let number = numbers.add()
            exchange.respond(status: number <= statuses.count ? statuses[number - 1] : 200, json: "{}")
        }
    }

    private func api(_ sender: ScriptedRequestSender) -> ApiClient {
        ApiClient("https://api.example.com") {
            $0.sender = sender
            $0.log.sink = .silent
            $0.retry = .constant(.zero, maxAttempts: 3)
        }
    }

    private func keys(_ sender: ScriptedRequestSender) -> [String?] {
        sender.requests.map { $0.headers["Idempotency-Key"] }
    }

    @Test(arguments: [HttpMethod.post, .patch])
    func theKeyIsAQuotedUuidAndStaysOverRetries(method: HttpMethod) async throws {
        let sender = sender(503, 502)
        try await api(sender).request(method, "chat").body(["model": "m", "max_tokens": 5]).repeatable().send()
        let keys = keys(sender)
        let key = try #require(keys[0])
        #expect(keys == [key, key, key])
        #expect(key.hasPrefix("\"") && key.hasSuffix("\""))
        #expect(UUID(uuidString: String(key.dropFirst().dropLast())) != nil)
    }

    @Test func withoutItAPostIsSentOnceAndHasNoKey() async throws {
        let sender = sender(503)
        await #expect(throws: HttpError.self) { try await api(sender).post("chat").send() }
        await #expect(throws: HttpError.self) {
            try await api(self.sender(503)).repeatable().post("chat").repeatable(false).send()
        }
        #expect(keys(sender) == [nil])
    }

    @Test func anIdempotentMethodNeedsNoKey() async throws {
        let sender = sender()
        for method in [HttpMethod.get, .head, .put, .delete] {
            try await api(sender).repeatable().request(method, "x").send()
        }
        #expect(keys(sender) == [nil, nil, nil, nil])
    }

    @Test func theCallersKeyWins() async throws {
        let sender = sender(503)
        try await api(sender).header("idempotency-key", "mine").post("chat").repeatable().send()
        #expect(keys(sender) == ["mine", "mine"])
    }

    @Test func aKeptChainHasANewKeyEachTime() async throws {
        let sender = sender(503)
        let chain = api(sender).post("chat").repeatable().chain(as: Json.self)
        _ = try await chain.execute()
        _ = try await chain.execute()
        let keys = keys(sender)
        #expect(keys.count == 3 && keys[0] == keys[1] && keys[1] != keys[2])
        #expect(keys.allSatisfy { $0 != nil })
    }

    @Test func aReplayAfterATokenRefreshHasTheSameKey() async throws {
        let sender = sender(401)
        let tokens = TokenStore(TokenPair(accessToken: "1"))
        let refresh = ClosureNode<TokenPair, TokenPair>(async: { _ in TokenPair(accessToken: "2") })
        let refresher = TokenRefresherNode(store: tokens, refresh: refresh)
        try await api(sender).auth(.bearer(tokens, refreshedBy: refresher)).post("chat").repeatable().send()
        #expect(sender.requests.map { $0.headers["Authorization"] } == ["Bearer 1", "Bearer 2"])
        #expect(Set(keys(sender)).count == 1 && keys(sender)[0] != nil)
    }

    @Test func middlewareAroundTheRequestSeesTheKey() async throws {
        let sender = sender()
        let seen = Gathered<String?>()
        try await api(sender).repeatable().middleware(at: .aroundRequest) { request, next in
            seen.append(request.headers["Idempotency-Key"])
            _ = try await next(request)
            return try await next(request)
        }.post("chat").send()
        #expect(keys(sender) == [seen.all[0], seen.all[0]])
    }

    @Test func aBuilderHasIt() async throws {
        final class Own: UrlChainsBuilder<URL> {
            override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
                let transformer = UrlRequestTransformerNode(
                    next: serviceChain.requestTransportChain(), method: config.method)
                let encoder = RequestEncoderNode(next: transformer, encoding: config.encoding)
                let router = RequestRouterNode(next: encoder, route: config.route)
                return MetadataConnectorNode(next: router, metadata: config.metadata)
            }
        }
        let url = try #require(URL(string: "https://api.example.com"))
        for builder in [UrlChainsBuilder<URL>(), Own()] {
            let sender = sender(503)
            let chain: Node<User, Void> = builder.route(.post, url).sender(sender).log(to: .silent).repeatable()
                .retry(.constant(.zero)).build()
            try await chain.execute(User(id: 1, name: "Ann"))
            #expect(keys(sender).count == 2 && Set(keys(sender)).count == 1 && keys(sender)[0] != nil)
        }
    }
}
