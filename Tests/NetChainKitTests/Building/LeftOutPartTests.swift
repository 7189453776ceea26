import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

/// A part that an override leaves out, but the builder was asked for, is an error that names both.
struct LeftOutPartTests {
    private final class Answering: UrlServiceChainBuilder {
        override func requestTransportChain() -> Node<HttpRequest, Json> {
            ClosureNode { _ in .emit(data: [:]) }
        }
    }

    private final class WithoutQuery: UrlChainsBuilder<Route> {
        override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
            let transformer = UrlRequestTransformerNode(
                next: serviceChain.requestTransportChain(), method: config.method)
            let encoder = RequestEncoderNode(next: transformer, encoding: config.encoding)
            let router = RequestRouterNode(next: encoder, route: config.route)
            return MetadataConnectorNode(next: router, metadata: config.metadata)
        }
    }

    private struct Pass: ClientMiddleware {
        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse { try await next(request) }
    }

    private static let parts: [(name: String, ask: @Sendable (UrlChainsBuilder<Route>) -> UrlChainsBuilder<Route>)] = [
        ("retry(_:)", { $0.retry(.exponential()) }), ("auth(_:)", { $0.auth(.bearer("t")) }),
        ("accessSafe(_:)", { $0.accessSafe(TokenRefresherNode {}) }), ("deadline(_:)", { $0.deadline(.seconds(1)) }),
        ("middleware(_:at:)", { $0.middleware(Pass()) }), ("inject(headers:)", { $0.inject(headers: ["A": "b"]) }),
        ("add(provider:)", { $0.add(provider: TokenStore(nil)) }),
        ("insert(at:_:)", { $0.insert(at: .request) { $0 } }), ("cache(_:)", { $0.cache(HttpCache(memory: 1)) }),
        ("record(to:)", { $0.record(to: HarRecorder()) }), ("mapErrors(as:)", { $0.mapErrors(as: Problem.self) }),
        ("acceptedStatuses(_:)", { $0.acceptedStatuses(.all) }),
        ("parse(with:)", { $0.parse(with: ClosureNode { _ in .emit(data: [:]) }) }),
        ("rateLimit(_:)", { $0.rateLimit(1, per: .seconds(1)) }),
        ("concurrencyLimit(_:)", { $0.concurrencyLimit(1) }),
    ]

    private struct Problem: Decodable {}

    @Test func aTransportOfItsOwnMustNotLeaveOutWhatWasAskedFor() async throws {
        for part in Self.parts {
            let builder = part.ask(UrlChainsBuilder<Route>(serviceChain: Answering()).route(.get, .users).quiet())
            let error = await thrown(RequestBuildingError.self) { try await builder.build(Json.self).execute() }
            #expect(error?.code == .partLeftOut)
            #expect(error?.description.contains(part.name) == true)
            #expect(error?.description.contains("Answering") == true)
        }
        let plain = UrlChainsBuilder<Route>(serviceChain: Answering()).route(.get, .users).quiet()
        #expect(try await plain.build(Json.self).execute() == [:])
    }

    @Test func aRequestPartOfItsOwnMustNotLeaveOutTheQuery() async throws {
        let sender = ScriptedRequestSender { $0.respond(json: "{}") }
        let builder = WithoutQuery().route(.get, .users).quiet().sender(sender)
        #expect(try await builder.build(Json.self).execute() == [:])
        let error = await thrown(RequestBuildingError.self) {
            _ = try await builder.set(query: ["a": 1]).build(Json.self).execute()
        }
        #expect(error?.code == .partLeftOut)
        #expect(error?.description.contains("WithoutQuery was asked for a query") == true)
        #expect(error?.description.contains("URLQueryInjectorNode") == true)
        #expect(sender.requests.count == 1)
    }
}
