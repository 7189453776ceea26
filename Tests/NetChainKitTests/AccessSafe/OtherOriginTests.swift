import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if os(Linux)
/// A rejection counts only where the token was sent.
@Suite struct OtherOriginTests {
    private let (server, other): (LoopbackServer, LoopbackServer)
    private let store = TokenStore(TokenPair(accessToken: "0"))
    private let refreshes = Counter()
    private let refresher: TokenRefresherNode

    init() throws {
        (server, other) = (try LoopbackServer(), try LoopbackServer())
        let refreshes = refreshes
        refresher = TokenRefresherNode(store: store, limits: RefreshLimits(refreshes: 2, per: .seconds(3600))) { _ in
            TokenPair(accessToken: "\(refreshes.add())")
        }
        server.on(.get, "/far", respond: .redirect(to: other.url("/end").absoluteString))
        server.on(.get, "/there-and-back", respond: .redirect(to: other.url("/back").absoluteString))
        other.on(.get, "/back", respond: .redirect(to: server.url("/end").absoluteString))
        server.on(.get, "/near", respond: .redirect(to: "/own"))
        server.on(.get, "/own") { $0.headers["Authorization"] == "Bearer 1" ? .json("{}") : .status(401) }
    }

    /// How a client sends the token.
    enum Form: CaseIterable {
        case auth, accessSafe, accessSafeWhen, ownErrors
    }

    private func api(_ form: Form) throws -> ApiClient {
        let sender = try CurlRequestSender()
        let api = ApiClient(server.url("/")) {
            $0.sender = sender
            $0.log.sink = .silent
        }
        switch form {
        case .auth: return api.auth(.bearer(store, refreshedBy: refresher, on: [401, 403]))
        case .accessSafe:
            let (refresher, store) = (refresher, store)
            return ApiClient(
                server.url("/").absoluteString,
                builder: {
                    UrlChainsBuilder<ApiRoute>().sender(sender).log(to: .silent).accessSafe(refresher).add(
                        provider: store)
                })
        case .accessSafeWhen:
            let (refresher, store) = (refresher, store)
            return ApiClient(
                server.url("/").absoluteString,
                builder: {
                    UrlChainsBuilder<ApiRoute>().sender(sender).log(to: .silent).add(provider: store)
                        .accessSafe(refresher) { [401, 403].contains(($0 as? HttpError)?.status) }
                })
        case .ownErrors:
            let (refresher, store) = (refresher, store)
            return ApiClient(
                server.url("/").absoluteString,
                builder: {
                    UrlChainsBuilder<ApiRoute>().sender(sender).log(to: .silent).add(provider: store)
                        .accessSafe(refresher) { $0 is Rejected }
                        .insert(at: .attempt) { next in
                            ClosureNode { request in
                                next.process(request).mapError { error -> any Error in
                                    if let error = error as? HttpError { Rejected(error: error) } else { error }
                                }
                            }
                        }
                })
        }
    }

    private struct Rejected: Error {
        let error: HttpError
    }

    @Test(arguments: Form.allCases, [401, 403])
    func aRejectionOfAnotherOriginCausesNoRefresh(form: Form, status: Int) async throws {
        let api = try api(form)
        for server in [server, other] { server.on(.get, "/end", respond: .status(status)) }
        for path in ["far", "there-and-back"] {
            for _ in 0..<3 {
                let error = await thrown((any Error).self) { try await api.get(path).send(as: Json.self) }
                #expect(((error as? Rejected)?.error ?? error as? HttpError)?.status == status)
            }
        }
        let ends = other.requests("/end") + server.requests("/end")
        #expect(ends.count == 6)
        #expect(ends.allSatisfy { $0.headers["Authorization"] == nil })
        #expect(refreshes.value == 0)
        // The limit is left to the origin of the token.
        _ = try await api.get("own").send(as: Json.self)
        #expect(refreshes.value == 1)
    }

    @Test(arguments: Form.allCases) func aRejectionAfterARedirectToTheSameOriginIsRefreshed(form: Form) async throws {
        _ = try await api(form).get("near").send(as: Json.self)
        #expect(refreshes.value == 1)
        #expect(server.requests("/own").map { $0.headers["Authorization"] } == ["Bearer 0", "Bearer 1"])
    }
}
#endif
