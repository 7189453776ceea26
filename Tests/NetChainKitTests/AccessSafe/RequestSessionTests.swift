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

/// A request belongs to the session in which it was made, whatever waits in front of the gate.
@Suite struct RequestSessionTests {
    private let sender = ScriptedRequestSender { $0.respond(status: 200, json: "{}") }
    private let store = TokenStore(TokenPair(accessToken: "A"))
    private let refresher: TokenRefresherNode
    private let api: ApiClient

    init() {
        let store = store
        refresher = TokenRefresherNode(store: store) { $0 }
        let (sender, refresher) = (sender, refresher)
        api = ApiClient("http://api.example.com") {
            $0.sender = sender
            $0.log.sink = .silent
            $0.auth = .bearer(store, refreshedBy: refresher)
        }
    }

    private func anotherUserSignsIn() {
        store.clear()
        store.set(TokenPair(accessToken: "B"))
    }

    private var tokens: [String?] { sender.requests.map { $0.headers["Authorization"] } }

    /// How a request is made.
    enum Form: CaseIterable {
        case send, process, executedChain, processedChain, executedBuild, processedBuild, download, stream

        static let withCallbacks: [Form] = [.process, .processedChain, .processedBuild]

        /// Makes the request and returns what to wait for.
        func make(of api: ApiClient) -> @Sendable () async throws -> Void {
            let request = api.get("x")
            let build: Node<Void, Json> = UrlChainsBuilder<Route>().route(.get, .users)
                .setting { $0 = api.settings }.build()
            switch self {
            case .process: return awaiting(request.process(as: Json.self))
            case .processedChain: return awaiting(request.chain(as: Json.self).process().onMain)
            case .processedBuild: return awaiting(build.process().onMain)
            case .send: return { _ = try await request.send(as: Json.self) }
            case .executedChain: return { _ = try await request.chain(as: Json.self).execute() }
            case .executedBuild: return { _ = try await build.execute() }
            case .download:
                return {
                    let folder = try TestFolder()
                    _ = try await request.download(to: folder.url.appending(path: "x"))
                    withExtendedLifetime(folder) {}
                }
            case .stream: return { _ = try await request.stream() }
            }
        }

        private func awaiting<Value>(_ result: MainActorObserver<Value>) -> @Sendable () async throws -> Void {
            { _ = try await result.value }
        }
    }

    @Test(arguments: Form.withCallbacks)
    func aRequestWhoseTaskHasNotStartedIsNotSentInTheNextSession(form: Form) async throws {
        let queue = DispatchQueue(label: "held back")
        queue.suspend()
        let old = (0..<500).map { _ in form.make(of: api.setting { $0.work = .dispatch(on: queue) }) }
        anotherUserSignsIn()
        queue.resume()
        for request in old {
            #expect(await thrown(AccessSafeError.self, by: request)?.code == .signedOut)
        }
        #expect(sender.requests.count == 0)
        try await form.make(of: api)()
        #expect(tokens == ["Bearer B"])
    }

    @Test(arguments: Form.allCases, [true, false])
    func aRequestThatWaitsInMiddlewareIsNotSentInTheNextSession(form: Form, isRefreshed: Bool) async throws {
        let (asked, online) = (Gate(), Gate())
        let queued = api.setting { if !isRefreshed { $0.auth = .bearer(store) } }
            .middleware(at: .aroundRequest) { request, next in
                asked.open()
                try await online.wait()
                return try await next(request)
            }
        let old = form.make(of: queued)
        let end = Task { try await old() }
        try await asked.wait()
        anotherUserSignsIn()
        online.open()
        let error = await thrown(AccessSafeError.self) { try await end.value }
        #expect(error?.code == .signedOut)
        #expect(sender.requests.count == 0)
        try await form.make(of: queued)()
        #expect(tokens == ["Bearer B"])
    }

    /// How a node of the user's continues.
    enum Way: CaseIterable { case operators, detachedTask, thread }

    @Test(arguments: Way.allCases)
    func aNodeThatContinuesAnywhereSendsNothingInTheNextSession(way: Way) async throws {
        let (asked, online) = (Gate(), Gate())
        let queued = api.insert(at: .request) { next in
            ClosureNode { request in
                asked.open()
                let context = Context<HttpResponse>()
                let go: @Sendable () -> Void = { next.process(request).onSettled { context.settle($0) } }
                switch way {
                case .operators: return Observer(async: { try await online.wait() }).flatMap { next.process(request) }
                case .detachedTask:
                    Task.detached {
                        try await online.wait()
                        go()
                    }
                case .thread:
                    Task.detached {
                        try await online.wait()
                        DispatchQueue(label: "the user's").async(execute: go)
                    }
                }
                return context.observer
            }
        }
        let old = queued.get("x").process(as: Json.self)
        try await asked.wait()
        anotherUserSignsIn()
        online.open()
        #expect(await thrown(AccessSafeError.self) { try await old.value }?.code == .signedOut)
        #expect(sender.requests.count == 0)
    }

    @Test(arguments: [MiddlewarePlace.aroundRequest, .aroundAttempt])
    func aNewRequestOfAMiddlewareBelongsToTheSessionOfTheFirst(place: MiddlewarePlace) async throws {
        let (asked, online) = (Gate(), Gate())
        let replacing = api.middleware(at: place) { request, next in
            try await Task.detached {
                asked.open()
                try await online.wait()
                var other = HttpRequest(method: .get, url: request.url)
                other.headers["Authorization"] = store.accessToken.map { "Bearer \($0)" }
                return try await next(other)
            }.value
        }
        let old = Task { try await replacing.get("x").send(as: Json.self) }
        try await asked.wait()
        anotherUserSignsIn()
        online.open()
        #expect(await thrown(AccessSafeError.self) { try await old.value }?.code == .signedOut)
        #expect(sender.requests.count == 0)
    }

    @Test func aMiddlewareThatSendsAgainDoesNotDoSoInTheNextSession() async throws {
        let again = api.middleware(at: .aroundRequest) { request, next in
            _ = try await next(request)
            anotherUserSignsIn()
            return try await next(request)
        }
        let error = await thrown(AccessSafeError.self) { try await again.get("x").send(as: Json.self) }
        #expect(error?.code == .signedOut)
        #expect(tokens == ["Bearer A"])
    }

    /// A chain that a node calls is a part of that node's request.
    @Test(arguments: [true, false])
    func aNodeInFrontOfTheChainThatWaitsSendsNothingInTheNextSession(isExecuted: Bool) async throws {
        let (asked, online) = (Gate(), Gate())
        let chain = api.get("x").chain(as: Json.self)
        let queue = ChainConfiguratorNode(
            next: ClosureNode<Void, Json>(async: { _ in
                asked.open()
                try await online.wait()
                return try await chain.execute()
            }))
        let end = Task { try await isExecuted ? queue.execute() : queue.process().value }
        try await asked.wait()
        anotherUserSignsIn()
        online.open()
        #expect(await thrown(AccessSafeError.self) { try await end.value }?.code == .signedOut)
        #expect(sender.requests.count == 0)
    }

    @Test(arguments: [ExecutionPlace.inPlace, .concurrent], [ExecutionPlace.inPlace, .dispatch(on: .main)])
    func aRequestOfACallbackBelongsToTheSessionOfThatMoment(
        work: ExecutionPlace, callbacks: ExecutionPlace
    ) async throws {
        let held = ScriptedRequestSender()
        let api = api.setting { ($0.sender, $0.work, $0.callbacks) = (held, work, callbacks) }
        let next = api.get("next").chain(as: Json.self)
        let (first, second, viaSend) = (Context<Json>(), Context<Json>(), Context<Json>())
        api.get("log-out").chain(as: Json.self).process().onCompleted { _ in
            anotherUserSignsIn()
            next.process().onSettled { first.settle($0) }
            Task { second.settle(await result { try await next.execute() }) }
            Task { viaSend.settle(await result { try await api.get("next").send(as: Json.self) }) }
        }
        try await held.nextRequest().respond(status: 200, json: "{}")
        for _ in 0..<3 { try await held.nextRequest().respond(status: 200, json: "{}") }
        for end in [first, second, viaSend] { _ = try await end.observer.value }
        #expect(held.requests.map { $0.headers["Authorization"] } == ["Bearer A", "Bearer B", "Bearer B", "Bearer B"])
    }

    private func result<Value>(_ body: () async throws -> Value) async -> Outcome<Value> {
        do { return .completed(try await body()) } catch { return .failed(error) }
    }

    @Test func aRequestThatANodeMakesBelongsToTheSessionOfThatMoment() async throws {
        let switching = ClosureNode<Void, Json>(async: { _ in
            anotherUserSignsIn()
            return try await api.get("x").send()
        })
        _ = try await switching.execute()
        #expect(tokens == ["Bearer B"])
    }

    /// How a request is made within the run of another one.
    enum InnerForm: CaseIterable { case send, process, poll, events, task }

    @Test(arguments: InnerForm.allCases)
    func aRequestThatAMiddlewareMakesAfterALogOutIsNoPartOfTheFirst(form: InnerForm) async throws {
        let inner = ScriptedRequestSender { exchange in
            if form == .events { exchange.respond(.events([])) } else { exchange.respond(json: "{}") }
        }
        let login = ApiClient("http://login.example.com") {
            $0.sender = inner
            $0.log.sink = .silent
        }
        let api = api.sender(ScriptedRequestSender { $0.respond(status: 418) })
            .middleware(at: .aroundAttempt) { request, next in
                let response = try await next(request)
                store.clear()
                let request = login.post("token")
                switch form {
                case .send: try await request.send()
                case .process: _ = try await request.process(as: Json.self).value
                case .poll: _ = try await request.poll(as: Json.self, every: .seconds(1)) { _ in true }
                case .events: for try await _ in request.events(reconnecting: .never) {}
                case .task: _ = try await Task { try await request.send(as: Json.self) }.value
                }
                return response
            }
        await #expect(throws: HttpError.self) { try await api.get("x").send() }
        #expect(inner.requests.count == 1)
    }

    @Test func whileUsersChangeNoRequestThatWaitsCarriesAnothersToken() async throws {
        let wrong = Counter()
        let server = ScriptedRequestSender { exchange in
            let user = exchange.request.url.lastPathComponent
            if exchange.request.headers["Authorization"] != "Bearer \(user)" { wrong.add() }
            let status = [200, 401, 503].randomElement() ?? 200
            DispatchQueue.global().async { exchange.respond(status: status, json: "{}") }
        }
        let api = api.setting { $0.sender = server }.retry(.constant(.zero))
            .middleware(at: .aroundRequest) { request, next in
                for _ in 0..<Int.random(in: 0...20) { await Task.yield() }
                return try await next(request)
            }
        var ends: [MainActorObserver<Json>] = []
        for user in 0..<100 {
            store.clear()
            store.set(TokenPair(accessToken: "\(user)"))
            let chain = api.get("\(user)").chain(as: Json.self)
            for isChain in (0..<20).map({ $0.isMultiple(of: 2) }) {
                ends.append(isChain ? chain.process().onMain : api.get("\(user)").process(as: Json.self))
            }
            await Task.yield()
        }
        for end in ends {
            do {
                _ = try await end.value
            } catch let error as HttpError {
                #expect([401, 503].contains(error.response.status))
            } catch {
                #expect((error as? AccessSafeError)?.code == .signedOut, "\(error)")
            }
        }
        #expect(wrong.value == 0)
    }
}
