import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

/// A 401 of the target of a redirect that has changed the method: the server has processed the request itself.
@Suite(.timeLimit(.minutes(1)))
struct ChangedMethodTests {
    enum Kind: CaseIterable {
        case challenge, digest, tokens
    }

    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/orders", respond: .redirect(to: "/orders/1", status: 303))
        server.on(.get, "/orders/1") { request in
            if request.headers["Authorization"]?.hasSuffix("new") == true { return .json("{}") }
            return .status(401).header("WWW-Authenticate", #"Basic realm="r", Digest realm="r", nonce="n", qop="auth""#)
        }
    }

    private func api(_ kind: Kind) -> ApiClient {
        let auth: ClientAuth
        switch kind {
        case .challenge: auth = .challenge { _ in .bearer("new") }
        case .digest: auth = .digest(user: "a", password: "b")
        case .tokens:
            let store = TokenStore(TokenPair(accessToken: "old", refreshToken: "r"))
            auth = .bearer(store, refreshedBy: TokenRefresherNode(store: store) { _ in TokenPair(accessToken: "new") })
        }
        return ApiClient(server.url("/")).log(to: .silent).auth(auth)
    }

    @Test(arguments: Kind.allCases)
    func aPostIsNotSentTwice(kind: Kind) async throws {
        let error = await thrown(HttpError.self) { try await api(kind).post("orders").body(["id": 1]).send() }
        #expect(error?.status == 401)
        #expect(server.requests.map(\.method) == [.post, .get])
    }

    /// A server may process it twice.
    @Test(arguments: [Kind.challenge, .tokens])
    func aPutIsSentWithOtherCredentials(kind: Kind) async throws {
        try await api(kind).put("orders").body(["id": 1]).send()
        #expect(server.requests.map(\.method) == [.put, .get, .put, .get])
    }

    /// A redirect with 307 keeps the method: the request was not processed.
    @Test(arguments: [Kind.challenge, .tokens])
    func aPostWhoseTargetRejectsItIsSentWithOtherCredentials(kind: Kind) async throws {
        server.on(.post, "/moved", respond: .redirect(to: "/target", status: 307))
        server.on(.post, "/target") { request in
            request.headers["Authorization"]?.hasSuffix("new") == true
                ? .json("{}") : .status(401).header("WWW-Authenticate", #"Basic realm="r""#)
        }
        try await api(kind).post("moved").body(["id": 1]).send()
        #expect(server.requests.map(\.path) == ["/moved", "/target", "/moved", "/target"])
    }

    /// A task that outlives the answer to a challenge is no part of it.
    @Test func aTaskThatAnAnswerStartsGetsItsChallengesAnswered() async throws {
        for path in ["/a/1", "/b/1"] {
            server.on(.get, path) { request in
                request.headers["Authorization"] == nil
                    ? .status(401).header("WWW-Authenticate", #"Basic realm="r""#) : .json("{}")
            }
        }
        let (starts, start) = AsyncStream<ApiClient>.makeStream()
        let later = Gathered<Task<Void, any Error>>()
        let api = ApiClient(server.url("/")).log(to: .silent).auth(
            .challenge { _ in
                if later.all.isEmpty {
                    later.append(
                        Task {
                            for await api in starts {
                                try await api.get("b/1").send()
                                return
                            }
                        })
                }
                return .basic(user: "a", password: "b")
            })
        try await api.get("a/1").send()
        start.yield(api)
        try await later.all[0].value
        #expect(server.requests.map(\.path) == ["/a/1", "/a/1", "/b/1", "/b/1"])
    }
}
