import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `trace()` and `record(to:)` of the builder.
struct TraceTests {
    private let store = LogStore()
    private let sender = ScriptedRequestSender(json: #"{"id": 1, "name": "Ann"}"#)

    private func builder() -> UrlChainsBuilder<Route> {
        UrlChainsBuilder<Route>().log(to: .memory(store)).run(on: .inPlace, callbacks: .inPlace).sender(sender)
            .route(.get, .users)
    }

    private static let defaultChain = [
        "LoggerNode", "ChainConfiguratorNode", "LoadIndicatableNode", "ModelInputNode", "DTOMapperNode",
        "PayloadNode", "MetadataConnectorNode", "RequestRouterNode", "RequestEncoderNode", "UrlRequestTransformerNode",
        "RequestCreatorNode", "TechnicalErrorMapperNode", "RequestSenderNode", "ResponseProcessorNode",
        "ResponseHttpErrorProcessorNode", "ResponseDataPreprocessorNode", "ResponseDataParserNode",
    ]

    @Test func aTracedChainLooksAsBefore() {
        let plain: Node<User, User> = builder().build()
        let traced: Node<User, User> = builder().trace().build()
        #expect(traced.chain.names == Self.defaultChain)
        #expect(traced.chain.description == plain.chain.description)
    }

    @Test func eachNodeOfTheChainIsMeasured() async throws {
        let chain: Node<User, User> = builder().trace().build()
        _ = try await chain.execute(User(id: 1, name: "Ann"))
        let rows = try #require(await store.report()).trace.rows
        #expect(rows.map(\.name) == Self.defaultChain)
        #expect(rows.map(\.depth) == Array(0..<17))
    }

    @Test func otherFormsAndFurtherNodesAreMeasuredToo() async throws {
        let adorned = builder().trace().inject(headers: ["A": "b"]).retry(.exponential()).set(query: ["a": 1])
            .accessSafe(TokenRefresherNode {})
        _ = try await adorned.loadData().execute()
        let rows = try #require(await store.report()).trace.rows.map(\.name)
        #expect(rows == adorned.loadData().chain.names)
    }

    @Test func theTransferIsMeasuredPhaseByPhase() async throws {
        let chain: Node<Void, User> = builder().sender(MeasuringSender()).trace().build()
        _ = try await chain.execute()
        let report = try #require(await store.report())
        let phases = report.entries.compactMap { $0 as? Span }.filter { $0.label != nil }
        #expect(phases.map(\.label) == ["transfer", "lookup", "connect", "TLS", "first byte", "body"])
        #expect(
            phases.map(\.duration) == [2000, 100, 200, 300, 600, 800].map { .microseconds($0) })
        #expect(Set(phases.map(\.id)) == ["RequestSenderNode"])
        let waterfall = report.trace.waterfall()
        for label in ["transfer", "lookup", "connect", "TLS", "first byte", "body"] {
            #expect(waterfall.contains(label))
        }
    }

    @Test func eachAttemptIsRecorded() async throws {
        let statuses = [503, 200]
        let counter = Counter()
        let sender = ScriptedRequestSender { exchange in
            exchange.respond(status: statuses[counter.add() - 1], json: #"{"id": 1, "name": "Ann"}"#)
        }
        let recorder = HarRecorder()
        _ =
            try await builder().sender(sender).retry(.constant(.milliseconds(1))).record(to: recorder).build()
            .execute() as User
        let entries = try #require(try Json(parsing: recorder.data())["log"]?["entries"])
        #expect(recorder.count == 2)
        #expect(entries[0]?["response"]?["status"] == 503)
        #expect(entries[1]?["response"]?["status"] == 200)
        #expect(entries[1]?["_attempt"] == 2)
    }
}

/// Answers with figures.
private struct MeasuringSender: RequestSender {
    func send(_ request: HttpRequest) async throws -> HttpResponse {
        // The run must have lasted as long as its transfer claims.
        let start = ContinuousClock.now
        while .now - start < .milliseconds(2) {}
        var metrics = TransferMetrics()
        metrics.nameLookup = .microseconds(100)
        metrics.connect = .microseconds(300)
        metrics.tls = .microseconds(600)
        metrics.firstByte = .microseconds(1200)
        metrics.total = .microseconds(2000)
        let body = Data(#"{"id": 1, "name": "Ann"}"#.utf8)
        return HttpResponse(request: request, statusCode: 200, data: body, metrics: metrics)
    }
}
