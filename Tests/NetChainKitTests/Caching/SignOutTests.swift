import NetChainTestKit
import TestSupport
import Testing

@testable import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signing out removes what earlier processes have stored, although this one has sent no request.
@Suite struct SignOutTests {
    private static let pair = TokenPair(accessToken: "a", refreshToken: nil)

    /// A store with a response of each kind, as an earlier process has left it.
    private func store() async throws -> HttpCacheMemoryStore {
        let store = HttpCacheMemoryStore(limit: 1_000_000)
        let earlier = ApiClient("https://api.example.com") {
            $0.sender = ScriptedRequestSender { $0.respond(json: "1", headers: ["Cache-Control": "max-age=600"]) }
            $0.cache = HttpCache(store: store)
            $0.log.sink = .silent
        }
        _ = try await earlier.get("a").send(as: Int.self)
        _ = try await earlier.auth(.bearer("a")).get("a").send(as: Int.self)
        #expect(store.usage().entries == 2)
        return store
    }

    @Test(arguments: [true, false]) func aClientIsEnough(_ isRefreshed: Bool) async throws {
        let (store, tokens) = (try await store(), TokenStore(Self.pair))
        let refresher = TokenRefresherNode(store: tokens) { _ in Self.pair }
        let api = ApiClient("https://api.example.com") {
            $0.auth = isRefreshed ? .bearer(tokens, refreshedBy: refresher) : .bearer(tokens)
            $0.cache = HttpCache(store: store)
            $0.log.sink = .silent
        }
        tokens.clear()
        await eventually("the response is removed") { store.usage().entries == 1 }
        withExtendedLifetime(api) {}
    }

    @Test func aChainOfABuilderIsEnough() async throws {
        let (store, tokens) = (try await store(), TokenStore(Self.pair))
        let refresher = TokenRefresherNode(store: tokens) { _ in Self.pair }
        let chain: Node<Void, Int> = UrlChainsBuilder<ApiRoute>()
            .setting { $0.cache = HttpCache(store: store) }
            .route(.get, ApiRoute("a", below: URL(string: "https://api.example.com")))
            .accessSafe(refresher).build()
        tokens.clear()
        await eventually("the response is removed") { store.usage().entries == 1 }
        withExtendedLifetime(chain) {}
    }
}
