// CoreNetKit's samples in the original spelling: they compile, with warnings that name the new spelling, and work.

import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the tests call, since a test can't be deprecated.
protocol OldSamples: Sendable {
    func operations(_ sender: ScriptedRequestSender) async throws -> [String]
    func accessSafe(_ sender: ScriptedRequestSender) async throws -> Json
    func isAccessError(_ error: any Error) -> Bool
    func mapper(_ next: Node<HttpRequest, Json>) -> Node<HttpRequest, Json>
}

/// Its members are deprecated themselves, so that the build doesn't warn of what is here on purpose.
struct OldSpelling: OldSamples {
    @available(*, deprecated, message: "here on purpose")
    class Service {
        func updateToken() -> Observer<Void> {
            SampleTokens.oldSpelling.refresh()
            return .emit()
        }
    }

    @available(*, deprecated, message: "here on purpose")
    class WrapperNode: Node<Void, Void>, @unchecked Sendable {
        override func process(_ data: Void) -> Observer<Void> {
            return Service().updateToken()
        }
    }

    @available(*, deprecated, message: "here on purpose")
    class AccessSafeChainBuilder: UrlChainsBuilder<UsageSamples.RegistrationRoute> {

        private static let tokenRefresherNode = TokenRefresherNode(tokenRefreshChain: WrapperNode())

        override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
            let transportChain = self.serviceChain.requestTrasportChain()

            // CoreNetKit's page doesn't use this node; see `AccessSafeSamples`.
            let accessSafe = AccessSafeNode(next: transportChain, updateTokenChain: Self.tokenRefresherNode)

            let urlRequestTrasformatorNode = UrlRequestTrasformatorNode(next: accessSafe, method: config.method)
            let requstEncoderNode = RequstEncoderNode(next: urlRequestTrasformatorNode, encoding: config.encoding)
            let requestRouterNode = RequestRouterNode(next: requstEncoderNode, route: config.route)
            return MetadataConnectorNode(next: requestRouterNode, metadata: config.metadata)
        }
    }

    @available(*, deprecated, message: "here on purpose")
    struct YesNo: URLQueryBoolEncodingStartegy {
        func encode(value: Bool) -> String { value ? "yes" : "no" }
    }

    @available(*, deprecated, message: "here on purpose")
    struct Plain: URLQueryArrayKeyEncodingStartegy {
        func encode(value: String) -> String { value }
    }

    /// The operations of `chains.md`.
    @available(*, deprecated, message: "here on purpose")
    func operations(_ sender: ScriptedRequestSender) async throws -> [String] {
        let bool = URLQueryBoolEncodingDefaultStartegy.asBool
        let array = URLQueryArrayKeyEncodingBracketsStartegy.noBrackets
        let builder = UrlChainsBuilder<UsageSamples.RegistrationRoute>()
            .route(.get, .auth)
            .set(query: ["a": ["b": true], "c": [1, 2]])
            .set(boolEncodingStartegy: bool)
            .set(arrayEncodingStrategy: array)
            .set(dictEncodindStrategy: URLQueryDictionaryKeyEncodingDefaultStrategy())
            .set(metadata: [:])
            .encode(as: .json)
            .add(provider: SampleTokens.oldSpelling)
            .log(exclude: ["RequstEncoderNode"])
            .log(to: .silent)
            .sender(sender)
        let first: Node<Void, Void> = builder.build()
        try await first.execute()
        let second: Node<Void, Void> =
            builder
            .set(boolEncodingStartegy: .asInt)
            .set(arrayEncodingStrategy: .brackets)
            .build()
        try await second.execute()
        let third: Node<Void, Void> =
            builder
            .set(boolEncodingStartegy: YesNo())
            .set(arrayEncodingStrategy: Plain())
            .build()
        try await third.execute()
        return sender.requests.map { $0.url.query(percentEncoded: false) ?? "" }
    }

    @available(*, deprecated, message: "here on purpose")
    func accessSafe(_ sender: ScriptedRequestSender) async throws -> Json {
        let chain: Node<Json, Json> = AccessSafeChainBuilder()
            .route(.post, .register)
            .add(provider: SampleTokens.oldSpelling)
            .sender(sender)
            .log(to: .silent)
            .build()
        return try await chain.execute(["name": "Ann"])
    }

    @available(*, deprecated, message: "here on purpose")
    func isAccessError(_ error: any Error) -> Bool {
        switch error {
        case ResponseHttpErrorProcessorNodeError.forbidden, ResponseHttpErrorProcessorNodeError.unauthorized: true
        default: false
        }
    }

    @available(*, deprecated, message: "here on purpose")
    func mapper(_ next: Node<HttpRequest, Json>) -> Node<HttpRequest, Json> {
        TechnicaErrorMapperNode(next: next)
    }
}

struct OldSpellingTests {
    private let samples: any OldSamples = OldSpelling()

    @Test func theOperationsWorkAsTheyDid() async throws {
        let queries = try await samples.operations(ScriptedRequestSender(json: "{}"))
        #expect(queries == ["a[b]=true&c=1&c=2", "a[b]=1&c[]=1&c[]=2", "a[b]=yes&c=1&c=2"])
    }

    @Test func theAccessSafeSampleWorks() async throws {
        let sender = ScriptedRequestSender { exchange in
            let isNew = exchange.request.headers["Authorization"] == "Bearer 1"
            exchange.respond(status: isNew ? 200 : 403, json: #"{"done": true}"#)
        }
        #expect(try await samples.accessSafe(sender) == ["done": true])
        #expect(SampleTokens.oldSpelling.refreshes == 1)
        #expect(sender.requests.count == 2)
    }

    @Test func theOldNamesAreTheNewTypes() async throws {
        let request = HttpRequest(method: .get, url: try #require(URL(string: "http://example.com")))
        let answers = [401, 403, 404].map { HttpResponse(request: request, status: $0) }
        #expect(answers.map { samples.isAccessError(HttpError($0)) } == [true, true, false])
        let refused = ClosureNode<HttpRequest, Json> {
            .emit(error: TransportError(.connectionRefused, of: $0, reason: "refused"))
        }
        await #expect(throws: TechnicalError.self) { try await samples.mapper(refused).execute(request) }
    }
}
