import NetChainKit
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A client whose credentials depend on the server's challenge: `.challenge`.
struct ChallengeTests {
    private let registry = ChallengeRegistry()

    private func send(_ paths: [String], by api: ApiClient) async -> [any Error] {
        await withTaskGroup(of: (any Error)?.self) { group in
            for path in paths {
                group.addTask {
                    do {
                        try await api.get(path).send()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
        }
    }

    // MARK: - Credentials

    @Test func aRequestIsSentAgainWithTheCredentials() async throws {
        let api = registry.client()
        try await api.get("a/manifests/1").send()
        #expect(registry.authorizations == ["none", "Bearer repository:a:pull#1"])
        #expect(registry.scopes == ["repository:a:pull"])
    }

    @Test func laterRequestsBesideItHaveThemBeforehand() async throws {
        let api = registry.client()
        try await api.get("a/manifests/1").send()
        try await api.timeout(.seconds(9)).get("a/manifests/2?x=/y").send()
        #expect(registry.authorizations.count == 3 && registry.authorizations[2] == "Bearer repository:a:pull#1")
        // Another folder: what was learned about the scope holds after its challenge.
        try await api.get("a/blobs/3").send()
        #expect(registry.authorizations.suffix(2) == ["none", "Bearer repository:a:pull#1"])
        #expect(registry.scopes == ["repository:a:pull"])
    }

    @Test func twoScopesHaveCredentialsEach() async throws {
        let api = registry.client()
        for path in ["a/manifests/1", "b/manifests/1", "a/manifests/2", "b/manifests/2"] {
            try await api.get(path).send()
        }
        #expect(registry.scopes == ["repository:a:pull", "repository:b:pull"])
        #expect(registry.requests.count == 6)
    }

    @Test func aScopeMayGrow() async throws {
        let api = registry.client()
        try await api.get("a/manifests/1").send()
        try await api.put("a/manifests/2").send()
        try await api.get("a/manifests/2").send()
        #expect(registry.scopes == ["repository:a:pull", "repository:a:pull,push"])
        #expect(
            registry.authorizations == [
                "none", "Bearer repository:a:pull#1", "Bearer repository:a:pull#1", "Bearer repository:a:pull,push#1",
                "Bearer repository:a:pull,push#1",
            ])
    }

    @Test func revokedCredentialsAreReplaced() async throws {
        let api = registry.client()
        try await api.get("a/manifests/1").send()
        registry.revoke()
        try await api.get("a/manifests/2").send()
        #expect(registry.scopes.count == 2)
        #expect(registry.authorizations.last == "Bearer repository:a:pull#2")
        registry.revoke()
        // Not beside the first one: its own first sending has none, the second the known ones.
        try await api.get("a/blobs/2").send()
        #expect(
            registry.authorizations.suffix(3) == [
                "none", "Bearer repository:a:pull#2", "Bearer repository:a:pull#3",
            ])
    }

    // MARK: - Many requests

    @Test func fiftyRequestsCauseOneCall() async throws {
        let registry = registry
        let api = registry.client(
            .challenge { challenge in
                await eventually("each request should be rejected") { registry.requests.count >= 50 }
                return try registry.grant(challenge)
            })
        #expect(await send((0..<50).map { "a/manifests/\($0)" }, by: api).isEmpty)
        #expect(registry.scopes.count == 1)
        #expect(registry.requests.count == 100)
        registry.revoke()
        #expect(await send((0..<50).map { "a/manifests/\($0)" }, by: api).isEmpty)
        #expect(registry.scopes.count == 2)
    }

    private struct Unavailable: Error {}

    @Test func anErrorFailsAllThatWaitAndTheNextOneCallsAgain() async throws {
        let (registry, calls) = (registry, Counter())
        let api = registry.client(
            .challenge { challenge in
                guard calls.add() == 1 else { return try registry.grant(challenge) }
                await eventually("each request should be rejected") { registry.requests.count == 20 }
                for _ in 0..<10_000 { await Task.yield() }
                throw Unavailable()
            })
        let errors = await send((0..<20).map { "a/manifests/\($0)" }, by: api)
        #expect(!errors.isEmpty && errors.allSatisfy { $0 is Unavailable })
        try await api.get("a/manifests/1").send()
    }

    @Test func cancelingOneRequestLeavesTheOthersTheirCredentials() async throws {
        let (registry, gate, calls) = (registry, Gate(), Counter())
        let api = registry.client(
            .challenge { challenge in
                calls.add()
                try await gate.wait()
                return try registry.grant(challenge)
            })
        let first = Task { try await api.get("a/manifests/first").send() }
        await eventually("the closure should be called") { calls.value == 1 }
        async let errors = send((0..<10).map { "a/manifests/\($0)" }, by: api)
        await eventually("each request should be rejected") { registry.requests.count == 11 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(await errors.isEmpty)
        #expect(calls.value == 1)
    }

    // MARK: - No credentials

    @Test func challengesAreTriedInTheirOrder() async throws {
        let tried = Tried()
        let (api, sender) = challengedClient(
            .challenge { challenge in
                tried.add(challenge.scheme)
                return challenge.scheme == "Basic" ? .basic(user: "ann", password: "p") : nil
            }
        ) { exchange in
            if exchange.request.headers["Authorization"] == "Basic YW5uOnA=" { return _ = exchange.respond(json: "{}") }
            let headers = HttpHeaders([
                .init(name: "WWW-Authenticate", value: "Negotiate, NTLM"),
                .init(name: "WWW-Authenticate", value: "Digest realm=\"a\", nonce=\"b\", BASIC realm=\"a\", Bearer"),
            ])
            _ = exchange.respond(status: 401, headers: headers)
        }
        try await api.get("x").send()
        #expect(tried.all == ["Negotiate", "NTLM", "Digest", "Basic"])
        #expect(sender.requests.count == 2)
        // The limit of calls for those that were never answered doesn't concern the others.
        for number in 0..<15 { try await api.get("\(number)/x").send() }
    }

    private final class Tried: Sendable {
        private let names = Mutex<[String]>([])
        func add(_ name: String) { names.withLock { $0.append(name) } }
        var all: [String] { names.withLock { $0 } }
    }

    @Test(arguments: [
        "Bearer", "Bearer realm=\"a", "", "realm=\"a\"", "@", "Bearer realm=\"a\", realm=\"b\"",
    ])
    func withoutCredentialsTheRejectionStands(challenge: String) async throws {
        let calls = Counter()
        let (api, sender) = challengedClient(
            .challenge { _ in
                calls.add()
                return nil
            }
        ) { _ = $0.respond(status: 401, headers: ["WWW-Authenticate": challenge], body: Data("why".utf8)) }
        for _ in 0..<3 {
            let error = await thrown(HttpError.self) { try await api.get("x").send() }
            #expect(error?.status == 401 && error?.response.data == Data("why".utf8))
        }
        #expect(sender.requests.count == 3)
        #expect(calls.value == (challenge == "Bearer" ? 3 : 0))
    }

    @Test func aRejectionWithoutAChallengeStands() async throws {
        let (api, sender) = challengedClient(.challenge { _ in .bearer("a") }) { _ = $0.respond(status: 401) }
        #expect(await thrown(HttpError.self) { try await api.get("x").send() }?.status == 401)
        #expect(sender.requests.count == 1)
    }

    /// The same credentials, or others each time; the same realm, or another one each time.
    @Test(arguments: [false, true], [false, true])
    func aServerThatAlwaysRejectsCausesNoLoop(isNew: Bool, hasNewRealm: Bool) async throws {
        let (calls, realms) = (Counter(), Counter())
        let (api, sender) = challengedClient(
            .challenge(limits: RefreshLimits(refreshes: 10, per: .seconds(3600))) { _ in
                let number = calls.add()
                return .bearer(isNew ? "\(number)" : "a")
            }
        ) { exchange in
            let realm = hasNewRealm ? realms.add() : 0
            _ = exchange.respond(status: 401, headers: ["WWW-Authenticate": "Bearer realm=\"\(realm)\""])
        }
        for _ in 0..<30 { #expect(await thrown(HttpError.self) { try await api.get("x").send() }?.status == 401) }
        #expect(sender.requests.count <= 90)
        #expect(calls.value <= (hasNewRealm ? 30 : 10))
    }

    @Test func aRequestOfTheClosureThroughItsOwnClientIsNotAnswered() async throws {
        let clients = Clients()
        let (api, sender) = challengedClient(
            .challenge { _ in
                try await clients.first?.get("token").send()
                return .bearer("a")
            }
        ) { _ = $0.respond(status: 401, headers: ["WWW-Authenticate": "Bearer realm=\"\($0.request.url.path)\""]) }
        clients.set(api)
        // The closure retains the client.
        defer { clients.set(nil) }
        let error = await thrown(HttpError.self) { try await api.get("x").send() }
        #expect(error?.response.url.path == "/token")
        #expect(sender.requests.count == 2)
    }

    private final class Clients: Sendable {
        private let client = Mutex<ApiClient?>(nil)
        var first: ApiClient? { client.withLock { $0 } }
        func set(_ api: ApiClient?) { client.withLock { $0 = api } }
    }

    @Test func noMoreThanSixteenChallengesOfUsualSizeAreAnswered() async throws {
        let schemes =
            (0..<100).map { "Scheme\($0) realm=\"r\"" } + ["Long realm=\"\(String(repeating: "r", count: 5_000))\""]
        let calls = Mutex<[String]>([])
        let auth = ClientAuth.challenge { challenge in
            calls.withLock { $0.append(challenge.scheme) }
            return nil
        }
        let (api, _) = challengedClient(auth) {
            $0.respond(status: 401, headers: ["WWW-Authenticate": schemes.reversed().joined(separator: ", ")])
        }
        await #expect(throws: HttpError.self) { try await api.get("").send() }
        #expect(calls.withLock { $0 } == (84..<100).reversed().map { "Scheme\($0)" })
    }

    // MARK: - Other nodes

    @Test func eachAttemptHasTheCredentials() async throws {
        let attempts = Counter()
        let (api, sender) = challengedClient(.challenge { _ in .bearer("a") }) { exchange in
            if exchange.request.headers["Authorization"] != "Bearer a" {
                _ = exchange.respond(status: 401, headers: ["WWW-Authenticate": "Bearer"])
            } else {
                _ = attempts.add() < 3 ? exchange.respond(status: 503) : exchange.respond(json: "{}")
            }
        }
        try await api.retry(.constant(.zero)).get("x").send()
        #expect(sender.requests.map { $0.headers["Authorization"] } == [nil, "Bearer a", "Bearer a", "Bearer a"])
    }

    @Test func aValueWithALineBreakIsNotSent() async throws {
        let (api, sender) = challengedClient(.challenge { _ in .bearer("a\r\nX: 1") }) {
            _ = $0.respond(status: 401, headers: ["WWW-Authenticate": "Bearer"])
        }
        let error = await thrown(RequestBuildingError.self) { try await api.get("x").send() }
        #expect(error?.code == .invalidHeader)
        #expect(sender.requests.count == 1)
    }

    @Test func nothingShowsTheCredentials() async throws {
        let secret = "hunter2Geheim"
        for credentials in [
            AuthCredentials.bearer(secret), .basic(user: "ann", password: secret), .header("Custom \(secret)"),
            .digest(user: "ann", password: secret),
        ] {
            #expect(!"\(credentials) \(String(reflecting: [credentials]))".contains(secret))
            var dumped = ""
            dump(credentials, to: &dumped)
            #expect(!dumped.contains(secret))
            let (api, sender) = challengedClient(.challenge { _ in credentials }) {
                _ = $0.respond(
                    status: 401, headers: ["WWW-Authenticate": "Digest realm=\"a\", nonce=\"b\", qop=\"auth\""])
            }
            let store = LogStore()
            let sink = LogSink.memory(store)
            let logged = api.log(to: sink).log(level: .debug)
            let error = try #require(await thrown(HttpError.self) { try await logged.get("x").send() })
            let sent = try #require(sender.requests.last?.headers["Authorization"])
            await sink.drain()
            let text = store.reports.flatMap(\.shown).map(\.message).joined(separator: "\n")
            let words = sent.split(whereSeparator: { " \",=".contains($0) }).map(String.init).filter { $0.count > 12 }
            for shown in [text, "\(error)", "\(error.response.request)", "\(error.response.request.headers)"] {
                for word in words + [secret] { #expect(!shown.contains(word), "\(word) in \(shown)") }
            }
            #expect(text.contains("Authorization"))
        }
    }
}
