import Dispatch
import NetChainKit
import NetChainTestKit
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One user signs out and another one in while requests of the first are on their way to the sender.
@Suite struct SessionChangeTests {
    private let sender = ScriptedRequestSender()
    private let store = TokenStore(TokenPair(accessToken: "A"))
    private let waits = Waits()
    private let refresh = Context<TokenPair>()
    private let refresher: TokenRefresherNode

    init() {
        refresher = TokenRefresherNode(store: store, refresh: ClosureNode { [refresh] _ in refresh.observer })
    }

    private func builder(
        _ service: UrlServiceChainBuilder = UrlServiceChainBuilder()
    ) -> UrlChainsBuilder<Route> {
        UrlChainsBuilder<Route>(serviceChain: service).quiet().sender(sender).route(.get, .users)
    }

    /// A builder whose retries wait until the test ends the delays.
    private func retryingBuilder(
        _ store: TokenStore? = nil, _ refresher: TokenRefresherNode? = nil
    ) -> UrlChainsBuilder<Route> {
        let refresher = refresher ?? self.refresher
        return builder().add(provider: store ?? self.store)
            .insert(at: .request) { AccessSafeNode(next: $0, updateTokenChain: refresher) }
            .insert(at: .request) { [waits] in
                RetryNode(next: $0, policy: .constant(.seconds(1)), clock: waits)
            }
    }

    private func anotherUserSignsIn() {
        store.clear(cause: SignedOut())
        store.set(TokenPair(accessToken: "B"))
    }

    private var tokens: [String?] { sender.requests.map { $0.headers["Authorization"] } }

    private static let sinks: [LogSink] = [.silent, .closure { _ in }]

    @Test(arguments: sinks)
    func aRetryOfTheOldSessionIsNotSentInTheNewOne(sink: LogSink) async throws {
        let chain: Node<Void, Void> = retryingBuilder().log(to: sink).build()
        let old = chain.inline()
        try await sender.nextRequest().respond(status: 503)
        anotherUserSignsIn()
        waits.end()
        let error = old.outcome?.error as? AccessSafeError
        #expect(error?.code == .signedOut)
        #expect(error?.cause is SignedOut)
        let new = chain.inline()
        try await sender.nextRequest().respond(status: 200)
        #expect(new.outcome?.value != nil)
        #expect(tokens == ["Bearer A", "Bearer B"])
    }

    /// Nobody but a request that runs keeps the chain and its refresher: their owner has gone, as a screen does.
    @Test func aReplayIsNotSentInTheNewSessionThoughItsChainIsDropped() async throws {
        let store = TokenStore(TokenPair(accessToken: "A"))
        let (old, gate) = try await replayOfADroppedChain(store)
        #expect(gate.node != nil)
        store.clear(cause: SignedOut())
        store.set(TokenPair(accessToken: "B"))
        waits.end()
        let error = old.outcome?.error as? AccessSafeError
        #expect(error?.code == .signedOut)
        #expect(error?.cause is SignedOut)
        #expect(tokens == ["Bearer A", "Bearer A2"])
        #expect(gate.node == nil, "what ended keeps nothing")
    }

    @Test func aReplayThatIsCanceledKeepsNothing() async throws {
        let (old, gate) = try await replayOfADroppedChain(TokenStore(TokenPair(accessToken: "A")))
        old.cancel()
        #expect(gate.node == nil)
    }

    /// A request that was refused, and whose replay waits for a retry. What it was sent through has been let go of.
    private func replayOfADroppedChain(_ store: TokenStore) async throws -> (Observer<Void>, WeakRefresher) {
        // A timer of Dispatch's would keep the refresher for some time after the refresh.
        let clock = TestClock()
        let refresher = TokenRefresherNode(
            store: store, clock: clock, refresh: ClosureNode { [refresh] _ in refresh.observer })
        let chain: Node<Void, Void> = retryingBuilder(store, refresher).build()
        let old = chain.inline()
        try await sender.nextRequest().respond(status: 401)
        refresh.emit(data: TokenPair(accessToken: "A2"))
        try await sender.nextRequest().respond(status: 503)
        return (old, WeakRefresher(node: refresher))
    }

    @Test func aRequestWhoseProviderTakesItsTimeIsNotSentInTheNewSession() async throws {
        let (asked, answer) = (Gate(), Gate())
        let provider = ClosureProvider {
            asked.open()
            try await answer.wait()
            return ["X-Slow": "1"]
        }
        let chain: Node<Void, Void> = builder().accessSafe(refresher)
            .add(provider: provider).add(provider: store).build()
        let old = chain.inline()
        try await asked.wait()
        anotherUserSignsIn()
        answer.open()
        let error = await thrown(AccessSafeError.self) { try await old.value }
        #expect(error?.code == .signedOut)
        #expect(sender.requests.isEmpty)
    }

    @Test func aTokenThatIsNotFromAStoreIsHeldBackToo() async throws {
        let (asked, answer, token) = (Gate(), Gate(), Shared("A"))
        let refresher = TokenRefresherNode {}
        let provider = ClosureProvider {
            asked.open()
            try await answer.wait()
            return ["Authorization": "Bearer \(token.value)"]
        }
        let chain: Node<Void, Void> = builder().accessSafe(refresher)
            .add(provider: provider).build()
        let old = chain.inline()
        try await asked.wait()
        refresher.endSession()
        token.value = "B"
        answer.open()
        let error = await thrown(AccessSafeError.self) { try await old.value }
        #expect(error?.code == .signedOut)
        #expect(sender.requests.isEmpty)
    }

    /// How a node of the user's goes on, without the help of the library.
    enum Way: CaseIterable { case operators, task, detachedTask, thread, callbacks }

    /// Waits for the gate in a node of the user's, and goes on by that way.
    private final class Wanderer: Node<HttpRequest, Json>, @unchecked Sendable {
        let next: Node<HttpRequest, Json>
        let (way, asked, gate): (Way, Gate, Gate)

        init(_ next: Node<HttpRequest, Json>, _ way: Way, asked: Gate, gate: Gate) {
            (self.next, self.way, self.asked, self.gate) = (next, way, asked, gate)
        }

        override func process(_ data: HttpRequest) -> Observer<Json> {
            asked.open()
            let context = Context<Json>()
            let go: @Sendable () -> Void = { self.next.inline(data).onSettled { context.settle($0) } }
            switch way {
            case .operators: return Observer(async: { try await self.gate.wait() }).flatMap { self.next.inline(data) }
            case .task:
                return Observer(async: {
                    try await self.gate.wait()
                    return try await self.next.execute(data)
                })
            case .detachedTask:
                Task.detached {
                    try await self.gate.wait()
                    go()
                }
            case .thread:
                Task.detached {
                    try await self.gate.wait()
                    DispatchQueue(label: "the user's").async(execute: go)
                }
            case .callbacks:
                Task.detached {
                    try await self.gate.wait()
                    Observer.emit().dispatchOn(.global()).onCompleted { _ in go() }
                }
            }
            return context.observer
        }
    }

    private final class WanderingParts: UrlServiceChainBuilder {
        private let wander: (Node<HttpRequest, Json>) -> Node<HttpRequest, Json>
        private let refresher: TokenRefresherNode

        init(
            _ refresher: TokenRefresherNode,
            _ wander: @escaping (Node<HttpRequest, Json>) -> Node<HttpRequest, Json>
        ) {
            (self.refresher, self.wander) = (refresher, wander)
            super.init()
        }

        override func requestTransportChain() -> Node<HttpRequest, Json> {
            AccessSafeNode(next: wander(super.requestTransportChain()), updateTokenChain: refresher)
        }
    }

    @Test(arguments: Way.allCases, sinks)
    func aNodeThatGoesOnAnywhereSendsNothingForAnEndedSession(way: Way, sink: LogSink) async throws {
        let (asked, gate) = (Gate(), Gate())
        let parts = WanderingParts(refresher) { Wanderer($0, way, asked: asked, gate: gate) }
        let chain: Node<Void, Void> = builder(parts).add(provider: store).log(to: sink).build()
        let old = chain.inline()
        try await asked.wait()
        anotherUserSignsIn()
        gate.open()
        let error = await thrown(AccessSafeError.self) { try await old.value }
        #expect(error?.code == .signedOut)
        #expect(sender.requests.isEmpty)
        let new = chain.inline()
        try await sender.nextRequest().respond(status: 200)
        try await new.value
        #expect(tokens == ["Bearer B"])
    }

    /// A sender of the user's that keeps the request for a while, and sends it with another one.
    @Test func aSenderThatWaitsSendsNothingForAnEndedSession() async throws {
        struct Patient: RequestSender {
            let (next, asked, gate): (any RequestSender, Gate, Gate)

            func send(_ request: HttpRequest) async throws -> HttpResponse {
                asked.open()
                return try await Task.detached {
                    try await gate.wait()
                    return try await next.send(request)
                }.value
            }
        }
        let server = try LoopbackServer()
        server.on(.any, "*", respond: .json("{}"))
        let (asked, gate) = (Gate(), Gate())
        let chain: Node<Void, Void> = UrlChainsBuilder<URL>().quiet().route(.get, server.url("/")).accessSafe(refresher)
            .add(provider: store).sender(Patient(next: try CurlRequestSender(), asked: asked, gate: gate)).build()
        let old = chain.inline()
        try await asked.wait()
        anotherUserSignsIn()
        gate.open()
        let error = await thrown(AccessSafeError.self) { try await old.value }
        #expect(error?.code == .signedOut && error?.cause is SignedOut)
        #expect(server.requests.isEmpty)
    }

    /// A request that waits for its turn, and one that is redirected.
    @Test(arguments: [false, true]) func theSenderSendsNothingForAnEndedSession(isRedirected: Bool) async throws {
        let server = try LoopbackServer()
        server.hold("/held")
        server.on(.any, "/other", respond: .json("{}"))
        var configuration = CurlRequestSender.Configuration()
        configuration.limits.requestsPerOrigin = 1
        let sender = try CurlRequestSender(configuration: configuration)
        func chain(_ path: String) -> Node<Void, Void> {
            UrlChainsBuilder<URL>().quiet().route(.get, server.url(path)).accessSafe(refresher).add(provider: store)
                .sender(sender).build()
        }
        let first = chain("/held").inline()
        let exchange = try await server.nextRequest("/held")
        let second = isRedirected ? first : chain("/other").inline()
        anotherUserSignsIn()
        exchange.respond(isRedirected ? .redirect(to: "/other") : .json("{}"))
        let error = await thrown(AccessSafeError.self) { try await second.value }
        #expect(error?.code == .signedOut)
        #expect(server.requests.map(\.path) == ["/held"])
    }

    @Test func whatFollowsARequestOfTheOldSessionIsNoPartOfIt() async throws {
        let chain: Node<Void, Void> = retryingBuilder().build()
        // Without a gate: whatever it is started by, it has to do with no session.
        let login: Node<Void, Void> = builder().add(provider: store).build()
        let both = chain.inline().flatMap { login.inline() }
        let first = try await sender.nextRequest()
        anotherUserSignsIn()
        first.respond(status: 200)
        try await sender.nextRequest().respond(status: 200)
        #expect(both.outcome?.value != nil)
        #expect(tokens == ["Bearer A", "Bearer B"])
    }

    @Test func whileUsersChangeNoRequestCarriesAnothersToken() async {
        let wrong = Counter()
        let sender = ScriptedRequestSender { exchange in
            let user = exchange.request.url.lastPathComponent
            let token = exchange.request.headers["Authorization"] ?? ""
            if !token.hasPrefix("Bearer \(user)-") { wrong.add() }
            let status = [200, 401, 503].randomElement() ?? 200
            DispatchQueue.global().async { exchange.respond(status: status) }
        }
        let store = TokenStore()
        let refresher = TokenRefresherNode(store: store, limits: RefreshLimits(refreshes: .max)) { old in
            let parts = old.accessToken.split(separator: "-")
            return TokenPair(accessToken: "\(parts[0])-\((Int(parts[1]) ?? 0) + 1)")
        }
        let hesitant = ClosureProvider {
            await Task.yield()
            return [:]
        }
        var observers: [Observer<Void>] = []
        for user in 0..<100 {
            store.clear()
            store.set(TokenPair(accessToken: "\(user)-0"))
            let chain: Node<Void, Void> = UrlChainsBuilder<Route>().quiet().sender(sender).route(.get, .user(user))
                .accessSafe(refresher).add(provider: hesitant).add(provider: store).retry(.constant(.zero)).build()
            for _ in 0..<20 { observers.append(chain.inline()) }
            await Task.yield()
        }
        for observer in observers {
            do {
                try await observer.value
            } catch let error as HttpError {
                #expect([401, 503].contains(error.response.status))
            } catch {
                #expect((error as? AccessSafeError)?.code == .signedOut, "\(error)")
            }
        }
        #expect(wrong.value == 0)
    }

    @Test func aRetryThatFallsIntoARefreshWaitsForIt() async throws {
        let chain: Node<Void, Void> = retryingBuilder().build()
        let (retried, refused) = (chain.inline(), chain.inline())
        try await sender.nextRequest().respond(status: 503)
        try await sender.nextRequest().respond(status: 401)
        #expect(refresher.frozenCount == 1)
        waits.end()
        #expect(refresher.frozenCount == 2)
        #expect(sender.requests.count == 2)
        refresh.emit(data: TokenPair(accessToken: "A2"))
        for _ in 0..<2 { try await sender.nextRequest().respond(status: 200) }
        #expect(retried.outcome?.value != nil && refused.outcome?.value != nil)
        #expect(tokens == ["Bearer A", "Bearer A", "Bearer A2", "Bearer A2"])
    }

    @Test func aRetryThatWaitsForARefreshEndsWithTheSession() async throws {
        let chain: Node<Void, Void> = retryingBuilder().build()
        let (retried, refused) = (chain.inline(), chain.inline())
        try await sender.nextRequest().respond(status: 503)
        try await sender.nextRequest().respond(status: 401)
        waits.end()
        anotherUserSignsIn()
        for observer in [retried, refused] {
            let error = observer.outcome?.error as? AccessSafeError
            #expect(error?.code == .signedOut)
            #expect(error?.cause is SignedOut)
        }
        #expect(sender.requests.count == 2)
    }
}

private struct SignedOut: Error {}

private struct WeakRefresher {
    weak var node: TokenRefresherNode?
}

private struct ClosureProvider: MetadataProvider {
    let headers: @Sendable () async throws -> [String: String]
    func metadata() async throws -> [String: String] { try await headers() }
}

/// Delays that the test ends.
private final class Waits: ChainClock {
    private let running = Mutex<[Context<Void>]>([])

    var now: ContinuousClock.Instant { .now }

    func wait(for delay: Duration) -> Observer<Void> {
        let context = Context<Void>()
        running.withLock { $0.append(context) }
        return context.observer
    }

    func end() {
        let ended = running.withLock { running in
            defer { running = [] }
            return running
        }
        for context in ended { context.emit() }
    }
}

/// A value that several threads read and write.
private final class Shared<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    init(_ value: Value) { held = Mutex(value) }

    var value: Value {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
