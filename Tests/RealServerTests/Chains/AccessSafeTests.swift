import NetChainKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.needs(.nginx))
struct AccessSafeTests {
    /// nginx knows basic authentication only: here the access token is what it wants.
    private struct BasicProvider: MetadataProvider {
        let tokens: TokenStore

        func metadata() -> [String: String] {
            tokens.accessToken.map { ["Authorization": "Basic \($0)"] } ?? [:]
        }
    }

    @Test func requestsThatAreRefusedAreSentAgainWithTheNewToken() async throws {
        let tokens = TokenStore(TokenPair(accessToken: "expired", refreshToken: "first"))
        let refreshes = Recorder<String>()
        let refresher = TokenRefresherNode(store: tokens) { pair in
            refreshes.append(pair.refreshToken ?? "")
            return TokenPair(
                accessToken: Data("user:pass:word".utf8).base64EncodedString(), refreshToken: "second")
        }
        let chain: Node<Void, User> = try request(.nginx, "/private/users/1")
            .accessSafe(refresher).add(provider: BasicProvider(tokens: tokens)).build()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await chain.execute().name } }
            for try await name in group { #expect(name == "Ada") }
        }
        #expect(refreshes.values == ["first"])
    }
}
