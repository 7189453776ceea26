import AccessSafe
import NodeCore
import TestSupport
import Testing

/// The samples of Docs/AccessSafe.md that need no HTTP, and CoreNetKit's, with stand-ins for the services that they call.
@Suite struct SamplesTests {
    // CoreNetKit's sample: a node wraps a service, and a shared refresher has the node.
    final class Service: Sendable {
        func updateToken() -> Observer<Void> { .emit() }
    }

    final class WrapperNode: Node<Void, Void>, @unchecked Sendable {
        override func process(_ data: Void) -> Observer<Void> {
            Service().updateToken()
        }
    }

    enum Shared {
        static let tokenRefresherNode = TokenRefresherNode(tokenRefreshChain: WrapperNode())
    }

    @Test func theSampleOfCoreNetKitWorks() async throws {
        let api = ScriptedApi()
        let accessSafe = AccessSafeNode(next: api.node, updateTokenChain: Shared.tokenRefresherNode)
        let ending = Ending(accessSafe.inline(1))
        api.calls[0].refuse()
        await eventually("it is sent again") { api.calls.count == 2 }
        api.calls[1].succeed()
        // The refresh has resumed the request on a thread of its own.
        await eventually("it ends") { ending.value == "1 with 1" }
    }

    @Test func aClosureIsEnoughForARefresher() async throws {
        struct Tokens: Sendable {
            func renew() async throws {}
        }
        let service = Tokens()
        let refresher = TokenRefresherNode { try await service.renew() }
        try await refresher.execute()
    }

    // The OAuth 2.0 sample: RFC 6749, section 6, with a token endpoint that rotates.
    struct TokenAnswer: Sendable {
        let accessToken: String
        let refreshToken: String?
        let expiresIn: Int?
    }

    struct OAuthError: Error {
        let error: String
    }

    @Test func theOAuthSampleRotatesAndEndsTheSession() async {
        let answers = Received()
        let endpoint = ClosureNode<String, TokenAnswer>(async: { refreshToken in
            guard answers.all.isEmpty else { throw OAuthError(error: "invalid_grant") }
            answers.add(Array(refreshToken.utf8))
            return TokenAnswer(accessToken: "a2", refreshToken: "r2", expiresIn: 3600)
        })
        let store = TokenStore(TokenPair(accessToken: "a1", refreshToken: "r1"))
        let refresher = TokenRefresherNode(store: store) { old in
            do {
                let answer = try await endpoint.execute(old.refreshToken ?? "")
                return TokenPair(
                    accessToken: answer.accessToken, refreshToken: answer.refreshToken,
                    expiresIn: answer.expiresIn.map { .seconds($0) })
            } catch let error as OAuthError where error.error == "invalid_grant" {
                store.clear(cause: error)
                throw error
            }
        }
        #expect(await refresher.inline().settled.value != nil)
        #expect(store.pair?.refreshToken == "r2")
        #expect(store.freshness == .fresh)
        let error = await refresher.inline().settled.error as? AccessSafeError
        #expect(error?.code == .signedOut)
        #expect(error?.cause is OAuthError)
        #expect(store.pair == nil)
    }
}
