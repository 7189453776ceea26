import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A node that a subclass puts somewhere is met by every form.
struct OnePipelineTests {
    /// Counts what passes.
    final class CountingNode<Input: Sendable>: Node<Input, Json>, @unchecked Sendable {
        private let next: Node<Input, Json>
        private let counter: Counter

        init(next: Node<Input, Json>, counter: Counter) {
            self.next = next
            self.counter = counter
        }

        override func process(_ data: Input) -> Observer<Json> {
            counter.add()
            return next.process(data)
        }
    }

    @Test func aConnectorOfPayloadsIsMeantUnlessJsonIsNamed() {
        let next = Node<RequestModel<RequestPayload>, Json>()
        let connector = MetadataConnectorNode(next: next, metadata: [:])
        let ofJson: Node<Json, Json> = MetadataConnectorNode(next: next, metadata: [:])
        #expect(type(of: connector) == MetadataConnectorNode<RequestPayload, Json>.self)
        #expect(ofJson is MetadataConnectorNode<Json, Json>)
    }

    final class OwnBuilder: UrlChainsBuilder<Route> {
        let passed: Counter

        init(passed: Counter, serviceChain: UrlServiceChainBuilder = UrlServiceChainBuilder()) {
            self.passed = passed
            super.init(serviceChain: serviceChain)
        }

        override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
            CountingNode(next: super.requestBuildingChain(with: config), counter: passed)
        }
    }

    final class OwnParts: UrlServiceChainBuilder {
        let transport = Counter()

        override func requestTransportChain() -> Node<HttpRequest, Json> {
            CountingNode(next: super.requestTransportChain(), counter: transport)
        }
    }

    /// Counts what passes at a place of the chain.
    final class PassingNode<Input: Sendable>: Node<Input, HttpResponse>, @unchecked Sendable {
        private let next: Node<Input, HttpResponse>
        private let counter: Counter

        init(_ next: Node<Input, HttpResponse>, _ counter: Counter) {
            self.next = next
            self.counter = counter
        }

        override func process(_ data: Input) -> Observer<HttpResponse> {
            counter.add()
            return next.process(data)
        }
    }

    @Test func aNodeInTheRequestBuildingPartIsMetByEveryForm() async throws {
        let passed = Counter()
        let forms = try await EveryForm(of: OwnBuilder(passed: passed))
        #expect(passed.value == forms.count)
    }

    @Test func aNodeAroundTheServiceChainIsMetByEveryForm() async throws {
        let (parts, passed) = (OwnParts(), Counter())
        let forms = try await EveryForm(of: OwnBuilder(passed: passed, serviceChain: parts))
        #expect(passed.value == forms.count)
        #expect(parts.transport.value == forms.count)
    }

    @Test func aNodeAtAnyPlaceIsMetByEveryForm() async throws {
        let (request, attempt, response) = (Counter(), Counter(), Counter())
        let builder = UrlChainsBuilder<Route>()
            .insert(at: .request) { PassingNode($0, request) }
            .insert(at: .attempt) { PassingNode($0, attempt) }
            .insert(at: .response) { PassingNode($0, response) }
        let forms = try await EveryForm(of: builder)
        for counter in [request, attempt, response] { #expect(counter.value == forms.count) }
    }

    @Test func insertedNodesStandAtTheirPlacesTheFirstOutermost() {
        let chain: Node<Void, Town> = UrlChainsBuilder<Route>().retry(.constant(.zero))
            .insert(at: .request) { PassingNode($0, Counter()) }
            .insert(at: .attempt) { PassingNode($0, Counter()) }
            .insert(at: .response) { PassingNode($0, Counter()) }
            .insert(at: .response) { next in ClosureNode(name: "Last") { next.process($0) } }
            .build()
        let names = chain.chain.names
        let own = names.indices.filter { names[$0] == "PassingNode" }
        #expect(own.map { names[$0 + 1] } == ["RetryNode", "TechnicalErrorMapperNode", "Last"])
    }

    @Test func anAttemptIsMetEachTimeAndARequestOnce() async throws {
        let (request, attempt) = (Counter(), Counter())
        let sender = ScriptedRequestSender { $0.respond(status: $0.request.attempt == 1 ? 503 : 200, json: "{}") }
        let chain: Node<Void, Json> = UrlChainsBuilder<Route>().route(.get, .users).quiet().sender(sender)
            .retry(.constant(.zero))
            .insert(at: .request) { PassingNode($0, request) }
            .insert(at: .attempt) { PassingNode($0, attempt) }
            .build()
        #expect(try await chain.execute() == Json())
        #expect((request.value, attempt.value) == (1, 2))
    }

    @Test func aParserOfOnesOwnIsMetByTheFormsThatReadJsonOnly() async throws {
        let passed = Counter()
        let parser = CountingNode(next: ResponseDataParserNode(), counter: passed)
        let forms = try await EveryForm(of: UrlChainsBuilder<Route>().parse(with: parser))
        #expect(passed.value == forms.readingJson)
    }

    @Test func aNodeOfOnesOwnStandsBetweenAnyTwo() throws {
        let chain: Node<Void, Town> = OwnBuilder(passed: Counter(), serviceChain: OwnParts()).build()
        let own = chain.chain.names.enumerated().filter { $0.element == "CountingNode" }.map(\.offset)
        let before = own.map { chain.chain.names[$0 - 1] }
        #expect(before == ["PayloadNode", "UrlRequestTransformerNode"])
    }

    @Test func aNodeMayAnswerWithJsonOfItsOwn() async throws {
        final class Cached: UrlServiceChainBuilder {
            override func requestTransportChain() -> Node<HttpRequest, Json> {
                ClosureNode(name: "Cached") { _ in .emit(data: ["townName": "Riga"]) }
            }
        }
        let builder = UrlChainsBuilder<Route>(serviceChain: Cached()).route(.get, .users).quiet()
        #expect(try await builder.build().execute() == Town(name: "Riga"))
        #expect(try await builder.loadData().execute() == Data(#"{"townName":"Riga"}"#.utf8))
        let nothing: Node<Void, Void> = builder.build()
        try await nothing.execute()
    }

    @Test func aChainBuiltInsideOfAnotherTakesNothingFromIt() async throws {
        /// Builds a whole chain of its own while it builds.
        final class Nesting: UrlChainsBuilder<Route> {
            let inner = ScriptedRequestSender(json: #"{"townName": "inner"}"#)
            var side: Node<Void, Town>?

            override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
                side = UrlChainsBuilder<Route>(serviceChain: serviceChain)
                    .route(.get, .user(9)).quiet().sender(inner).build()
                return super.requestBuildingChain(with: config)
            }
        }
        let outer = ScriptedRequestSender(json: #"{"townName": "outer"}"#)
        let builder = Nesting().route(.post, .users).quiet().sender(outer).inject(headers: ["X-Outer": "1"])
        let chain: Node<Void, Town> = builder.build()
        #expect(try await chain.execute() == Town(name: "outer"))
        #expect(outer.requests.first?.headers["X-Outer"] == "1")
        #expect(try await builder.side?.execute() == Town(name: "inner"))
        #expect(builder.inner.requests.first?.headers["X-Outer"] == nil)
        #expect(builder.inner.requests.first?.url.path == "/users/9")
        let loading: Node<Void, Data> = builder.loadData()
        #expect(try await loading.execute() == Data(#"{"townName": "outer"}"#.utf8))
    }
}
