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

/// `retry(_:)` of a builder, over the real sender.
struct RetryChainTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private let policy = RetryPolicy.constant(.milliseconds(1), maxAttempts: 3)

    @Test func aRequestIsSentAgainWithNewMetadataUntilItSucceeds() async throws {
        server.on(
            .get, "/",
            inOrder: [.text("busy", status: 503), .text("no", status: 502), .json(#"{"id": 1, "name": "Ann"}"#)])
        let user: User = try await UrlChainsBuilder<URL>().quiet().route(.get, server.url("/")).retry(policy)
            .add(provider: Numbers()).build().execute()
        #expect(user == User(id: 1, name: "Ann"))
        #expect(server.requests.map { $0.headers["X-Number"] } == ["1", "2", "3"])
    }

    @Test func theErrorOfTheLastAttemptTellsItsNumber() async throws {
        server.on(
            .get, "/", inOrder: [.text("busy", status: 503), .text("busy", status: 429), .text("no", status: 502)])
        let chain: Node<Void, Void> = UrlChainsBuilder<URL>().quiet().route(.get, server.url("/")).retry(policy).build()
        let error = await thrown(HttpError.self) { try await chain.execute() }
        let text = "GET http://127.0.0.1:\(server.port)/ (attempt 3) failed with status 502 (bad gateway)"
        #expect(error?.description == text)
        let refusing: Node<Void, Void> = UrlChainsBuilder<URL>().quiet().route(.get, try ClosedPort.url()).retry(policy)
            .build()
        let refused = await thrown(TechnicalError.self) { try await refusing.execute() }
        #expect(refused?.cause.attempt == 3)
        #expect(refused?.cause.code == .connectionRefused)
    }

    @Test func aPostIsSentOnceUnlessItHasAKey() async throws {
        server.on(.post, "/", respond: .text("busy", status: 503))
        let builder = UrlChainsBuilder<URL>().quiet().route(.post, server.url("/")).retry(policy)
        let chain: Node<User, Void> = builder.build()
        await #expect(throws: HttpError.self) { try await chain.execute(User(id: 1, name: "Ann")) }
        #expect(server.requests.count == 1)
        let keyed: Node<User, Void> = builder.set(metadata: ["Idempotency-Key": "8e03"]).build()
        await #expect(throws: HttpError.self) { try await keyed.execute(User(id: 1, name: "Ann")) }
        #expect(server.requests.count == 4)
        #expect(Set(server.requests[1...].map(\.body)).count == 1)
    }

    @Test func aPostThatWasRedirectedToNobodyIsSentOnce() async throws {
        let gone = try ClosedPort.url("/x")
        server.on(.any, "/", respond: .redirect(to: gone.absoluteString, status: 307))
        let builder = UrlChainsBuilder<URL>().quiet()
        let post: Node<User, Void> = builder.route(.post, server.url("/")).retry(policy).build()
        let error = await thrown(TechnicalError.self) { try await post.execute(User(id: 1, name: "Ann")) }
        #expect(server.requests.count == 1)
        #expect(error?.cause.attempt == 1)
        #expect(error?.cause.redirects == 1)
        let put: Node<User, Void> = builder.route(.put, server.url("/")).retry(policy).build()
        await #expect(throws: TechnicalError.self) { try await put.execute(User(id: 1, name: "Ann")) }
        #expect(server.requestCount("/", method: .put) == 3)
    }

    @Test func aKeyOfTheRequestsOwnComesFromANodeBeforeTheRetry() async throws {
        final class Keys: UrlServiceChainBuilder {
            override func requestTransportChain() -> Node<HttpRequest, Json> {
                let (next, keys) = (super.requestTransportChain(), Counter())
                return ClosureNode(name: "Keys") { request in
                    var request = request
                    request.headers["Idempotency-Key"] = "\(keys.add())"
                    return next.process(request)
                }
            }
        }
        server.on(
            .post, "/", inOrder: [.text("busy", status: 503), .json("{}"), .text("busy", status: 503), .json("{}")])
        let chain: Node<User, Void> = UrlChainsBuilder<URL>(serviceChain: Keys()).quiet()
            .route(.post, server.url("/")).retry(policy).build()
        try await chain.execute(User(id: 1, name: "Ann"))
        try await chain.execute(User(id: 2, name: "Bob"))
        #expect(server.requests.map { $0.headers["Idempotency-Key"] } == ["1", "1", "2", "2"])
    }

    @Test func everyFormIsSentAgain() async throws {
        server.on(.put, "/") { [policy] request in
            let number = Int(request.headers["X-Number"] ?? "") ?? 0
            return number.isMultiple(of: policy.maxAttempts) ? .json("{}") : .text("busy", status: 503)
        }
        let builder = UrlChainsBuilder<URL>().quiet().route(.put, server.url("/")).retry(policy).add(
            provider: Numbers())
        let town = Town(name: "Oslo")
        let form = MultipartModel<[String: Data]>(payloadModel: ["a": Data("1".utf8)])
        #expect(try await (builder.build() as Node<Town, Json>).execute(town) == Json())
        #expect(try await (builder.build() as Node<Void, Json>).execute() == Json())
        try await (builder.build() as Node<Town, Void>).execute(town)
        try await (builder.build() as Node<Void, Void>).execute()
        #expect(try await (builder.build() as Node<MultipartModel<[String: Data]>, Json>).execute(form) == Json())
        try await (builder.build() as Node<MultipartModel<[String: Data]>, Void>).execute(form)
        #expect(try await builder.loadData().execute() == Data("{}".utf8))
        #expect(try await (builder.loadData() as Node<Town, Data>).execute(town) == Data("{}".utf8))
        #expect(server.requests.count == 24)
        for first in stride(from: 0, to: 24, by: 3) {
            #expect(Set(server.requests[first..<first + 3].map(\.body)).count == 1)
        }
    }

    // MARK: - Sent once

    @Test(arguments: [HttpMethod.get, .put])
    func withoutRetriesNothingIsSentAgainThatTheServerMayHaveProcessed(method: HttpMethod) async throws {
        let api = ApiClient(server.url("/")).log(to: .silent)
        server.on(.any, "/", inOrder: [.close, .text("again")])
        #expect(try await api.request(method, "").send().status == 200)
        #expect(server.requests.count == 2)
        for policy in [RetryPolicy.never, .constant(.zero, maxAttempts: 1)] {
            server.forgetRequests()
            server.on(.any, "/", inOrder: [.close, .text("again")])
            let error = await thrown(TransportError.self) { try await api.request(method, "").retry(policy).send() }
            #expect(error?.code == .connectionLost)
            #expect(error?.wasProcessed == .unknown)
            #expect(server.requests.count == 1)
        }
    }

    // MARK: - The log

    /// After a 100 (Continue) there was no response.
    @Test func aPutWhoseConnectionIsLostInItsBodyIsSentAgain() async throws {
        server.on(
            .put, "/", inOrder: [.raw("HTTP/1.1 100 Continue\r\n\r\n").closing(), .text("stored")])
        server.on(.post, "/", respond: .raw("HTTP/1.1 100 Continue\r\n\r\n").closing())
        let api = ApiClient(server.url).log(to: .silent)
        #expect(try await api.put("").body(.data(Data("a".utf8))).send(as: String.self) == "stored")
        #expect(server.requests.map(\.text) == ["a", "a"])
        let error = await thrown(TransportError.self) { try await api.post("").body(.data(Data("a".utf8))).send() }
        #expect(error?.code == .connectionLost && error?.wasProcessed == .unknown)
        #expect(server.requests.count == 3)
    }

    @Test func aLostConnectionIsAnAttemptAndIsInTheLog() async throws {
        let events = Mutex<[Log]>([])
        let sink = LogSink.events { log in
            if [.attempt, .retry].contains(log.kind) { events.withLock { $0.append(log) } }
        }
        let api = ApiClient(server.url("/")).log(to: sink).log(level: .debug)
        server.on(.get, "/", inOrder: [.close, .text("again")])
        #expect(try await api.get("").send(as: String.self) == "again")
        let logs = events.withLock { $0 }
        #expect(logs.map(\.kind) == [.attempt, .retry, .attempt])
        #expect(logs.map(\.details.attempt) == [1, 1, 2])
        let error = try #require(logs[1].details.error as? TransportError)
        #expect(error.code == .connectionLost)
        #expect(logs[1].message == "attempt 1 failed, the next one follows at once: \(error)")
    }

    private func event(
        _ policy: RetryPolicy?, _ method: HttpMethod, _ body: RequestBody = .empty, to url: URL, level: LogLevel = .info
    ) async -> Log? {
        let events = Mutex<[Log]>([])
        let sink = LogSink.events { log in
            if log.kind == .retry { events.withLock { $0.append(log) } }
        }
        let request = ApiClient(url).retry(policy).log(to: sink).log(level: level).request(method, "")
        _ = try? await (body.isEmpty ? request : request.body(body)).send()
        return events.withLock { $0.last }
    }

    private static let lastAttempts: [(RetryPolicy, HttpMethod, Int, String, String, String)] = [
        (.constant(.zero, maxAttempts: 2), .get, 503, "", "2", "the policy allows 2"),
        (.never, .get, 503, "", "1", "the policy allows one"),
        (
            .exponential(), .get, 429, "60", "1",
            "the server's Retry-After is 60.0 seconds, and maximumDelay is 10.0 seconds"
        ),
        (.exponential(), .post, 503, "", "1", "a POST without an Idempotency-Key is not sent twice"),
        (
            .constant(.seconds(9), timeLimit: .seconds(3)), .get, 503, "", "1",
            "another one after 9.0 seconds would pass the time limit, 3.0 seconds"
        ),
        (RetryPolicy { _ in .no }, .get, 503, "", "1", "the policy's rule allows no other"),
        (.exponential(), .get, 404, "", "1", "another one would get status 404 again"),
    ]

    @Test(arguments: lastAttempts)
    func theLogSaysWhyARequestIsNotSentAgain(
        policy: RetryPolicy, method: HttpMethod, status: Int, retryAfter: String, attempt: String, reason: String
    ) async throws {
        server.on(.any, "/", respond: .text("no", status: status).header("Retry-After", retryAfter))
        let event = try #require(await event(policy, method, to: server.url("/"), level: .debug))
        #expect(event.message == "attempt \(attempt) is the last one: \(reason)")
        #expect(event.level == (status == 404 ? .debug : .info))
        #expect(event.details.duration == nil)
        #expect(event.details.attempt == Int(attempt))
        #expect((event.details.error as? HttpError)?.status == status)
    }

    @Test func theLogSaysThatAServerMayHaveProcessedARequest() async throws {
        server.on(.any, "/", respond: .close)
        let event = try #require(await event(.exponential(), .post, to: server.url("/")))
        #expect(
            event.message == """
                attempt 1 is the last one: a POST without an Idempotency-Key is not sent twice, and the server may have \
                processed it
                """)
    }

    @Test(
        arguments: [
            (
                HttpMethod.post, RequestBody.empty, 1,
                """
                a POST without an Idempotency-Key is not sent twice, and the server may have processed it
                """
            ),
            (.get, .empty, 2, "there is no retry policy"),
            (.put, .stream(Pieces(Data("a".utf8), count: 1)), 1, "its body is a stream, which was read"),
        ])
    func theLogSaysWhyALostRequestIsNotSentAgainWithoutAPolicy(
        method: HttpMethod, body: RequestBody, attempt: Int, reason: String
    ) async throws {
        server.on(.any, "/", respond: .close)
        let event = try #require(await event(nil, method, body, to: server.url("/")))
        #expect(event.message == "attempt \(attempt) is the last one: \(reason)")
        #expect((event.details.error as? TransportError)?.code == .connectionLost)
    }

    @Test(arguments: [LogLevel.info, .debug])
    func withoutAPolicyARejectionIsNoNews(level: LogLevel) async throws {
        server.on(.any, "/", respond: .status(503))
        #expect(await event(nil, .get, to: server.url("/"), level: level) == nil)
    }

    /// What precedes the retries, such as a token refresh, takes a part of the deadline.
    @Test(.timeLimit(.minutes(1)))
    func whereARetryAfterPassesTheDeadlineTheRequestFailsAtOnce() async throws {
        let clock = TestClock()
        let sender = ScriptedRequestSender { $0.respond(status: 503, headers: ["Retry-After": "1"]) }
        let api = ApiClient("http://a.example") {
            $0.sender = sender
            $0.clock = clock
            $0.retry = .exponential()
            $0.deadline = .milliseconds(1500)
        }.middleware(at: .aroundRequest) { request, next in
            clock.advance(by: .milliseconds(800))
            return try await next(request)
        }
        let error = await thrown(HttpError.self) { try await api.get("").send() }
        #expect(error?.status == 503)
        #expect(sender.requests.count == 1)
    }

    /// A request that is kept and sent again, after the first deadline, has the whole time of the next one.
    @Test(.timeLimit(.minutes(1)))
    func aRequestThatIsSentLaterHasADeadlineOfItsOwn() async throws {
        let clock = TestClock()
        let sender = ScriptedRequestSender { $0.respond(status: 503) }
        let request = Mutex<HttpRequest?>(nil)
        let api = ApiClient("http://a.example") {
            $0.sender = sender
            $0.clock = clock
            $0.retry = .constant(.zero, maxAttempts: 2)
            $0.deadline = .seconds(1)
        }.middleware(at: .aroundRequest) { new, next in
            let first = request.withLock { kept in
                kept = kept ?? new
                return kept
            }
            return try await next(first ?? new)
        }
        for round in 1...2 {
            #expect(await thrown(HttpError.self) { try await api.get("").send() }?.status == 503)
            #expect(sender.requests.count == 2 * round)
            clock.advance(by: .seconds(2))
        }
    }

    private struct Numbers: MetadataProvider {
        let counter = Counter()

        func metadata() -> [String: String] {
            ["X-Number": "\(counter.add())"]
        }
    }
}
