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
        let sending = Counter()
        let processing = Counter()
        let body = Counter()

        override func requestTransportChain() -> Node<HttpRequest, Json> {
            CountingNode(next: super.requestTransportChain(), counter: transport)
        }

        override func requestSendingChain() -> Node<HttpRequest, Json> {
            CountingNode(next: super.requestSendingChain(), counter: sending)
        }

        override func urlResponseProcessingLayerChain() -> Node<DataResponse, Json> {
            CountingNode(next: super.urlResponseProcessingLayerChain(), counter: processing)
        }

        override func responseBodyChain() -> Node<HttpResponse, Json> {
            CountingNode(next: super.responseBodyChain(), counter: body)
        }
    }

    /// Wires the processing of answers itself, as an application with statuses of its own would.
    final class ProcessingOfItsOwn: UrlServiceChainBuilder {
        let counter = Counter()

        override func urlResponseProcessingLayerChain() -> Node<DataResponse, Json> {
            ResponseProcessorNode(next: CountingNode(next: responseBodyChain(), counter: counter))
        }
    }

    @Test func aNodeInTheRequestBuildingPartIsMetByEveryForm() async throws {
        let passed = Counter()
        let forms = try await EveryForm(of: OwnBuilder(passed: passed))
        #expect(passed.value == forms.count)
    }

    @Test func aNodeInAnyPartOfTheServiceChainIsMetByEveryForm() async throws {
        let (parts, passed) = (OwnParts(), Counter())
        let forms = try await EveryForm(of: OwnBuilder(passed: passed, serviceChain: parts))
        for counter in [passed, parts.transport, parts.sending, parts.processing, parts.body] {
            #expect(counter.value == forms.count)
        }
    }

    @Test func aProcessingOfItsOwnLeavesEveryFormItsEnd() async throws {
        let parts = ProcessingOfItsOwn()
        let forms = try await EveryForm(of: UrlChainsBuilder<Route>(serviceChain: parts))
        #expect(parts.counter.value == forms.count)
    }

    @Test func aReadingOfItsOwnServesEveryFormThatReadsJson() async throws {
        /// Reads all bodies itself.
        final class Reading: UrlServiceChainBuilder {
            override func responseBodyChain() -> Node<HttpResponse, Json> {
                ClosureNode(name: "Reading") { .emit(data: ["townName": .init("status \($0.statusCode)")]) }
            }
        }
        let builder = UrlChainsBuilder<Route>(serviceChain: Reading()).route(.post, .users).quiet()
            .send(with: ScriptedRequestSender(json: "{}", status: 203))
        let town = Town(name: "status 203")
        #expect(try await builder.build().execute() == town)
        let plain: Node<Void, ApiResponse<Town>> = builder.build()
        let upload: Node<RequestBody, ApiResponse<Town>> = builder.upload()
        for response in [try await plain.execute(), try await upload.execute(.data(Data([1])))] {
            #expect(response.model == town)
            #expect(response.statusCode == 203)
        }
        #expect(plain.chain.names.suffix(3) == ["ResponseHttpErrorProcessorNode", "ApiResponseCarrierNode", "Reading"])
    }

    @Test func anOverrideThatCallsSuperHasTheAnswerPutBesideOnce() {
        let chain: Node<Void, ApiResponse<Town>> = UrlChainsBuilder<Route>(serviceChain: OwnParts()).build()
        #expect(chain.chain.names.filter { $0 == "ApiResponseCarrierNode" }.count == 1)
        let own: Node<Void, ApiResponse<Town>> = UrlChainsBuilder<Route>(serviceChain: ProcessingOfItsOwn()).build()
        #expect(own.chain.names.filter { $0 == "ApiResponseCarrierNode" }.count == 1)
    }

    @Test func aParserOfOnesOwnIsMetByTheFormsThatReadJsonOnly() async throws {
        let passed = Counter()
        let parser = CountingNode(next: ResponseDataParserNode(), counter: passed)
        let forms = try await EveryForm(of: UrlChainsBuilder<Route>().parse(with: parser))
        #expect(passed.value == forms.readingJson)
    }

    @Test func aParserForAllChainsOfAServiceIsMetByTheFormsThatReadJsonOnly() async throws {
        final class Parts: UrlServiceChainBuilder {
            let parsing = Counter()

            override func jsonParsingChain() -> Node<HttpResponse, Json> {
                CountingNode(next: super.jsonParsingChain(), counter: parsing)
            }
        }
        let parts = Parts()
        let forms = try await EveryForm(of: UrlChainsBuilder<Route>(serviceChain: parts))
        #expect(parts.parsing.value == forms.readingJson)
    }

    @Test func aNodeOfOnesOwnStandsBetweenAnyTwo() throws {
        let chain: Node<Void, Town> = OwnBuilder(passed: Counter(), serviceChain: OwnParts()).build()
        let own = chain.chain.names.enumerated().filter { $0.element == "CountingNode" }.map(\.offset)
        let before = own.map { chain.chain.names[$0 - 1] }
        #expect(
            before == [
                "VoidInputNode", "UrlRequestTransformerNode", "RequestCreatorNode", "RequestSenderNode",
                "ResponseHttpErrorProcessorNode",
            ])
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
                    .route(.get, .user(9)).quiet().send(with: inner).build()
                return super.requestBuildingChain(with: config)
            }
        }
        let outer = ScriptedRequestSender(json: #"{"townName": "outer"}"#)
        let builder = Nesting().route(.post, .users).quiet().send(with: outer).inject(headers: ["X-Outer": "1"])
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
