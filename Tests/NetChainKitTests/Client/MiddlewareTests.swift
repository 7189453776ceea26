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

struct MiddlewareTests {
    /// A middleware of a closure.
    private struct Closure: ClientMiddleware {
        let body: @Sendable (HttpRequest, Next) async throws -> HttpResponse

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            try await body(request, next)
        }
    }

    private final class Events: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private let events = Events()

    private func api(_ sender: ScriptedRequestSender) -> ApiClient {
        ApiClient("https://api.example.com") { $0.sender = sender }.log(to: .silent)
    }

    @Test(arguments: [MiddlewarePlace.aroundAttempt, .aroundRequest])
    func aBodyThatAMiddlewareChangesIsTheOneThatIsDecoded(place: MiddlewarePlace) async throws {
        let sender = ScriptedRequestSender { $0.respond(json: "[1]") }
        let changing = Closure { request, next in
            var response = try await next(request)
            response.data.append(contentsOf: " ".utf8)
            response.data = Data("[2]".utf8)
            return response
        }
        let numbers: [Int] = try await api(sender).middleware(changing, at: place).get("/").send()
        #expect(numbers == [2])
    }

    /// A second request keeps no credentials of the first one's origin, wherever it comes from.
    @Test(arguments: [MiddlewarePlace.aroundAttempt, .aroundRequest], [true, false])
    func aRequestToAnotherOriginHasNoCredentialsOfTheChain(place: MiddlewarePlace, isNew: Bool) async throws {
        let sender = ScriptedRequestSender { $0.respond(json: "{}") }
        let other = try #require(URL(string: "https://other.example/b"))
        let second = Closure { request, next in
            _ = try await next(request)
            var second = isNew ? HttpRequest(method: .get, url: other) : request
            second.url = other
            second.headers["X-Vault-Token"] = "for it"
            return try await next(second)
        }
        let api = api(sender).auth(.header("X-Own-Auth", "geheim")).header("Private-Token", "geheim").header("X-A", "1")
            .log(redaction: .standard.adding(headers: ["X-Declared"])).header("X-Declared", "geheim")
            .middleware(second, at: place).middleware { request, next in try await next(request) }
        try await api.get("a").send()
        let names = ["X-Own-Auth", "Private-Token", "X-Declared", "X-A", "X-Vault-Token"]
        let seen = sender.requests.map { request in names.filter { request.headers[$0] != nil } }
        #expect(seen == [Array(names.prefix(4)), isNew ? ["X-Vault-Token"] : ["X-A", "X-Vault-Token"]])
        #expect(sender.requests.allSatisfy { !$0.curlCommand().contains("geheim") })
    }

    /// A request that middleware makes has the names of the chain's secrets: its redirects and HAR files follow the rule.
    @Test(arguments: [MiddlewarePlace.aroundAttempt, .aroundRequest])
    func aNewRequestOfMiddlewareHasTheSecretsOfTheChain(place: MiddlewarePlace) async throws {
        let other = try LoopbackServer()
        other.on(.get, "*", respond: .text("there"))
        let server = try LoopbackServer()
        server.on(.get, "/a", respond: .text("here"))
        server.on(.get, "/moved", respond: .redirect(to: other.url("/x").absoluteString))
        let recorder = HarRecorder()
        let moved = Closure { request, next in
            _ = try await next(request)
            let headers: HttpHeaders = ["X-Own-Auth": "geheim", "X-Declared": "geheim", "X-A": "1"]
            return try await next(HttpRequest(method: .get, url: server.url("/moved"), headers: headers))
        }
        let api = ApiClient(server.url("/")) { $0.log.sink = .silent }.auth(.header("X-Own-Auth", "geheim"))
            .log(redaction: .standard.adding(headers: ["X-Declared"])).middleware(moved, at: place).record(to: recorder)
        try await api.get("a").send()
        let request = try #require(other.requests.first)
        #expect(["X-Own-Auth", "X-Declared", "X-A"].filter { request.headers[$0] != nil } == ["X-A"])
        let text = String(decoding: try recorder.data(), as: UTF8.self)
        #expect(text.contains("X-Declared") && !text.contains("geheim"))
    }

    /// Records what passes.
    private func recording(_ name: String) -> Closure {
        Closure { [events] request, next in
            events.add("\(name) \(request.attempt) \(request.headers["Authorization"] ?? "-")")
            do {
                let response = try await next(request)
                events.add("\(name) \(response.status)")
                return response
            } catch let error as HttpError {
                events.add("\(name) error \(error.response.status)")
                throw error
            }
        }
    }

    @Test func theFirstIsTheOutermostAndEachPlaceSeesWhatIsThere() async throws {
        let sender = ScriptedRequestSender { $0.respond(status: $0.request.attempt == 1 ? 503 : 404) }
        let api = api(sender).retry(.constant(.zero)).auth(.bearer("t"))
            .middleware(recording("in"), at: .aroundAttempt)
            .middleware(recording("inner"))
            .middleware(recording("out"), at: .aroundRequest)
        let error = await thrown(HttpError.self) { try await api.get("a").send() }
        #expect(error?.status == 404)
        #expect(
            events.all == [
                "out 1 -", "in 1 Bearer t", "inner 1 Bearer t", "inner 503", "in 503", "in 2 Bearer t",
                "inner 2 Bearer t", "inner 404", "in 404", "out error 404",
            ])
    }

    @Test func aMiddlewareMayAnswerByItselfAtBothPlaces() async throws {
        let sender = ScriptedRequestSender { $0.respond(json: "[]") }
        for place in [MiddlewarePlace.aroundAttempt, .aroundRequest] {
            let canned = Closure { request, _ in
                HttpResponse(request: request, status: 200, data: Data("[1, 2]".utf8))
            }
            let numbers: [Int] = try await api(sender).middleware(canned, at: place).get("a").send()
            #expect(numbers == [1, 2])
            let bytes = try await api(sender).middleware(canned, at: place).get("a").send(as: Data.self)
            #expect(bytes == Data("[1, 2]".utf8))
        }
        let refusing = Closure { request, _ in HttpResponse(request: request, status: 418) }
        let error = await thrown(HttpError.self) { try await api(sender).middleware(refusing).get("a").send() }
        #expect(error?.status == 418)
        #expect(sender.requests.isEmpty)
    }

    @Test func aMiddlewareMaySendSeveralTimesAndAtOnce() async throws {
        let sender = ScriptedRequestSender { $0.respond(json: "\($0.request.url.query == "n=2" ? 2 : 1)") }
        let racing = api(sender).middleware { request, next in
            try await withThrowingTaskGroup(of: HttpResponse.self) { group in
                for number in 1...2 {
                    group.addTask {
                        var request = request
                        request.url.append(queryItems: [URLQueryItem(name: "n", value: "\(number)")])
                        return try await next(request)
                    }
                }
                var last: HttpResponse?
                for try await response in group where response.request.url.query == "n=2" { last = response }
                return try #require(last)
            }
        }
        let number: Int = try await racing.get("a").send()
        #expect(number == 2)
        #expect(sender.requests.count == 2)
    }

    @Test func aClosureIsAMiddlewareAtBothPlaces() async throws {
        let sender = ScriptedRequestSender { $0.respond(status: 404) }
        let note: @Sendable (HttpRequest, MiddlewareNext) async throws -> HttpResponse = { [events] request, next in
            defer { events.add(request.url.path) }
            return try await next(request)
        }
        let api = api(sender).middleware(note).setting { $0.add(at: .aroundRequest, note) }
        let error = await thrown(HttpError.self) { try await api.get("a").send() }
        #expect(error?.status == 404)
        #expect(events.all == ["/a", "/a"])
    }

    @Test func whatAMiddlewareThrowsIsTheError() async throws {
        struct Failure: Error {}
        let failing = Closure { _, _ in throw Failure() }
        let sender = ScriptedRequestSender { $0.respond() }
        await #expect(throws: Failure.self) { try await api(sender).middleware(failing).get("a").send() }
        #expect(sender.requests.isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) func aCancelReachesTheSenderThroughMiddleware() async throws {
        let held = ScriptedRequestSender()
        let api = api(held).middleware(recording("in")).middleware(recording("out"), at: .aroundRequest)
        let task = Task { try await api.get("a").send() }
        let exchange = try await held.nextRequest()
        task.cancel()
        await exchange.ended()
        #expect(exchange.isCanceled)
        await #expect(throws: CancellationError.self) { try await task.value }
        let observer = api.get("b").chain(as: Data.self).process()
        let second = try await held.nextRequest()
        observer.cancel()
        await second.ended()
        #expect(second.isCanceled)
    }

    @Test func aRequestOfAnEndedSessionIsNotSentThroughMiddleware() async throws {
        let store = TokenStore(TokenPair(accessToken: "A"))
        let refresher = TokenRefresherNode(store: store) { $0 }
        let sender = ScriptedRequestSender { $0.respond() }
        let leaving = Closure { request, next in
            store.clear()
            store.set(TokenPair(accessToken: "B"))
            return try await next(request)
        }
        let api = api(sender).auth(.bearer(store, refreshedBy: refresher)).middleware(leaving)
        let error = await thrown(AccessSafeError.self) { try await api.get("a").send() }
        #expect(error?.code == .signedOut)
        #expect(sender.requests.isEmpty)
    }

    @Test func aChainShowsItsMiddlewareByName() {
        let chain = api(ScriptedRequestSender()).middleware(recording("in")).get("a").chain(as: Data.self)
        #expect(chain.chain.names.contains("Closure"))
        #expect(chain.chain.names.contains("RequestSenderNode"))
        #expect(chain.chain.description.contains("ResponseHttpErrorProcessorNode"))
    }
}
