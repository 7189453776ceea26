import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct AccessSafeSampleTests {
    @Test func theSampleRefreshesTheTokenAndSendsAgain() async throws {
        let sender = ScriptedRequestSender { exchange in
            let isNew = exchange.request.headers["Authorization"] == "Bearer 1"
            exchange.respond(status: isNew ? 200 : 401, json: #"{"done": true}"#)
        }
        let chain: Node<Json, Json> = AccessSafeSamples.AccessSafeChainBuilder()
            .route(.post, .register)
            .set(metadata: ["X-A": "1"])
            .add(provider: SampleTokens.corrected)
            .sender(sender)
            .log(to: .silent)
            .build()
        #expect(chain.chain.names.contains("AccessSafeNode"))
        #expect(try await chain.execute(["name": "Ann"]) == ["done": true])
        #expect(SampleTokens.corrected.refreshes == 1)
        #expect(sender.requests.map { $0.headers["Authorization"] } == ["Bearer 0", "Bearer 1"])
        #expect(sender.requests.map { $0.headers["X-A"] } == ["1", "1"])
        #expect(sender.requests[0].body.inMemory == sender.requests[1].body.inMemory)
    }
}
