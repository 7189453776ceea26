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

/// Token refresh through the builder's chains over libcurl, counted on the server's side.
@Suite(.serialized) struct AccessSafeOverHttpTests {
    @Test func fiveHundredRequestsWithAnExpiredTokenCauseOneRefresh() async throws {
        for round in 0..<6 {
            let service = try TokenService(delays: true)
            let chain: Node<Note, Note> = service.request(.post, "/notes").build()
            let answers = try await withThrowingTaskGroup(of: Note.self) { group in
                for id in 0..<500 { group.addTask { try await chain.execute(Note(id: id, text: "note \(id)")) } }
                return try await group.reduce(into: []) { $0.append($1.id) }
            }

            #expect(answers.sorted() == Array(0..<500), "round \(round)")
            #expect(service.refreshes == 1, "round \(round)")
            let requests = service.server.requests("/notes")
            let accepted = requests.filter { $0.headers["Authorization"] == "Bearer token-1" }
            #expect(accepted.count == 500, "round \(round)")
            // A note's body is the same every time it's sent, and none is sent more than twice.
            let bodies = Dictionary(grouping: requests) { $0.text }
            #expect(bodies.count == 500, "round \(round)")
            #expect(bodies.values.allSatisfy { $0.count <= 2 }, "round \(round)")
        }
    }

    @Test func replaysOfFormsAndFilesAreTheSameBytes() async throws {
        let service = try TokenService()
        let folder = try TestFolder()
        let file = try folder.file("large.bin", (0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        var form = MultipartModel(fields: ["title": "ünïcode"])
        form.append(.url(url: file), name: "file")
        form.append(.data(data: Data([1, 2, 3]), filename: "small.bin"), name: "file")
        let chain: Node<MultipartModel<[String: Data]>, Json> = service.request(.post, "/notes").build()

        _ = try await chain.execute(form)

        let requests = service.server.requests("/notes")
        #expect(requests.map { $0.headers["Authorization"] } == ["Bearer token-0", "Bearer token-1"])
        #expect(requests[0].body == requests[1].body)
        #expect(requests[0].headers["Content-Type"] == requests[1].headers["Content-Type"])
        #expect(requests[1].multipartPartsOrNone.count == 3)
        #expect(service.refreshes == 1)
    }

    @Test func aRefusalThatArrivesAfterTheRefreshCausesNoSecondOne() async throws {
        let service = try TokenService()
        service.server.hold("/late")
        let late: Node<Void, Json> = service.request(.get, "/late").build()
        let early: Node<Void, Json> = service.request(.get, "/notes").build()
        async let lateAnswer = late.execute()
        let held = try await service.server.nextRequest("/late")

        _ = try await early.execute()
        #expect(service.refreshes == 1)
        held.respond(.status(401))
        let again = try await service.server.nextRequest("/late")
        #expect(again.request.headers["Authorization"] == "Bearer token-1")
        again.respond(.json("{}"))

        _ = try await lateAnswer
        #expect(service.refreshes == 1)
    }

    @Test func requestsThatStartDuringARefreshReachTheServerOnlyAfterIt() async throws {
        let service = try TokenService(holdsRefresh: true)
        let chain: Node<Void, Json> = service.request(.get, "/notes").build()
        let first = chain.process()
        let refresh = try await service.server.nextRequest("/token")
        let others = (0..<100).map { _ in chain.process() }
        try await service.frozen(101)
        #expect(service.server.requestCount("/notes") == 1)

        service.answer(refresh)

        for observer in [first] + others { _ = try await observer.value }
        #expect(service.server.requestCount("/notes") == 102)
        #expect(service.refreshes == 1)
    }

    @Test(arguments: RefreshFault.allCases)
    func everyFrozenRequestGetsTheErrorOfAFailedRefresh(fault: RefreshFault) async throws {
        let service = try TokenService(
            holdsRefresh: true, limits: RefreshLimits(timeout: fault == .silence ? .seconds(5) : .seconds(300)))
        let chain: Node<Void, Json> = service.request(.get, "/notes").build()
        let first = chain.process()
        let refresh = try await service.server.nextRequest("/token")
        let others = (0..<20).map { _ in chain.process() }
        try await service.frozen(21)

        fault.apply(to: refresh)

        for observer in [first] + others {
            let error = await thrown((any Error).self) { try await observer.value }
            #expect(fault.matches(try #require(error)), "\(fault): \(String(describing: error))")
        }
        // The next access failure may try again.
        let next = chain.process()
        service.answer(try await service.server.nextRequest("/token"))
        _ = try await next.value
    }

    @Test func atTheLimitOfRefreshesARequestFailsWithItsOwnRejection() async throws {
        let service = try TokenService(limits: RefreshLimits(refreshes: 2, per: .seconds(3600)), isDead: true)
        let chain: Node<Void, Json> = service.request(.get, "/notes").build()
        for _ in 0..<7 { #expect(await error(of: chain)?.status == 401) }
        #expect(service.refreshes == 2)
    }

    @Test func tenForbiddenRequestsLeaveTheRefreshesToTheOthers() async throws {
        let service = try TokenService(limits: RefreshLimits(refreshes: 10, per: .seconds(3600)))
        service.server.on("GET", "/forbidden", respond: .status(403))
        let forbidden: Node<Void, Json> = service.request(.get, "/forbidden").build()
        for _ in 0..<10 { #expect(await error(of: forbidden)?.status == 403) }
        #expect(service.refreshes == 1)

        service.expire()
        let chain: Node<Void, Json> = service.request(.get, "/notes").build()
        _ = try await chain.execute()
        #expect(service.refreshes == 2)
    }

    @Test func aRetryAfterAnotherOnesRefreshThatIsRejectedRefreshesItsToken() async throws {
        let service = try TokenService()
        service.server.hold("/late")
        let late: Node<Void, Json> = service.request(.get, "/late").retry(.constant(.zero)).build()
        let other: Node<Void, Json> = service.request(.get, "/notes").build()
        async let answer = late.execute()
        let first = try await service.server.nextRequest("/late")
        _ = try await other.execute()
        first.respond(.status(503))
        let retry = try await service.server.nextRequest("/late")
        #expect(retry.request.headers["Authorization"] == "Bearer token-1")
        retry.respond(.status(401))
        let replay = try await service.server.nextRequest("/late")
        #expect(replay.request.headers["Authorization"] == "Bearer token-2")
        replay.respond(.json("{}"))
        _ = try await answer
        #expect(service.refreshes == 2)
    }

    private func error(of chain: Node<Void, Json>) async -> HttpError? {
        do {
            _ = try await chain.execute()
            return nil
        } catch {
            return error as? HttpError
        }
    }

    @Test func cancelledWaitersLeaveTheOthersAlone() async throws {
        let service = try TokenService(holdsRefresh: true)
        let chain: Node<Void, Json> = service.request(.get, "/notes").build()
        let first = chain.process()
        let refresh = try await service.server.nextRequest("/token")
        let others = (0..<40).map { _ in chain.process() }
        try await service.frozen(41)

        first.cancel()
        for observer in others.prefix(20) { observer.cancel() }
        #expect(service.refresher.frozenCount == 20)
        service.answer(refresh)

        for observer in [first] + others.prefix(20) { #expect(observer.outcome?.isCanceled == true) }
        for observer in others.suffix(20) { _ = try await observer.value }
        #expect(service.refreshes == 1)
        #expect(service.server.requestCount("/notes") == 21)
    }

    @Test func cancellingAllWaitersDoesNotBreakTheGate() async throws {
        let service = try TokenService(holdsRefresh: true)
        let chain: Node<Void, Json> = service.request(.get, "/notes").build()
        let observers = (0..<10).map { _ in chain.process() }
        let refresh = try await service.server.nextRequest("/token")
        try await service.frozen(10)
        for observer in observers { observer.cancel() }
        service.answer(refresh)

        _ = try await chain.execute()
        #expect(service.refreshes == 1)
    }

    @Test func aPredicateLeaves403Out() async throws {
        let service = try TokenService()
        service.server.on("GET", "/forbidden", respond: .json(#"{"error": "insufficient_scope"}"#, status: 403))
        let chain: Node<Void, Json> = service.builder(.get, "/forbidden")
            .accessSafe(service.refresher) { ($0 as? HttpError)?.status == 401 }
            .add(provider: service.tokens).build()

        let error = await thrown(HttpError.self) { try await chain.execute() }

        #expect(error?.status == 403)
        #expect(service.refreshes == 0)
        #expect(service.server.requestCount("/forbidden") == 1)
    }
}

private struct Note: Codable, JsonModel {
    let id: Int
    let text: String
}

/// What a token endpoint does wrong.
enum RefreshFault: CaseIterable, Sendable {
    case status, reset, garbage, silence

    func apply(to exchange: LoopbackExchange) {
        switch self {
        case .status: exchange.respond(.status(500))
        case .reset: exchange.reset()
        case .garbage: exchange.respond(.text("<html>"))
        case .silence: break
        }
    }

    func matches(_ error: any Error) -> Bool {
        switch self {
        case .status: (error as? HttpError)?.status == 500
        case .reset: error is TransportError
        case .garbage: error is ResponseParsingError
        case .silence: (error as? AccessSafeError)?.code == .refreshTimedOut
        }
    }
}

/// A server with access tokens: `token-0` has expired, each refresh makes `token-1`, `token-2`, … the good one.
private final class TokenService: Sendable {
    let server: LoopbackServer
    let tokens = TokenStore(TokenPair(accessToken: "token-0", refreshToken: "refresh-0"))
    let refresher: TokenRefresherNode
    private let sender: CurlRequestSender
    private let issued: Counter

    private final class Counter: Sendable {
        let count = Atomic(0)
    }

    /// - Parameters:
    ///   - delays: whether answers take a random time.
    ///   - holdsRefresh: whether the test answers the token endpoint.
    ///   - isDead: whether no token is ever good.
    init(
        delays: Bool = false, holdsRefresh: Bool = false, limits: RefreshLimits = RefreshLimits(timeout: .seconds(300)),
        isDead: Bool = false
    ) throws {
        let server = try LoopbackServer()
        let issued = Counter()
        let sender = try CurlRequestSender()
        self.server = server
        self.issued = issued
        self.sender = sender
        refresher = TokenRefresherNode(store: tokens, limits: limits) { _ in
            let json: Json = try await UrlChainsBuilder<URL>().route(.post, server.url("/token")).sender(sender)
                .log(to: .silent).build().execute()
            return try json.decode(TokenPair.self)
        }
        server.on(.any, "/notes") { request in
            let good = issued.count.load(ordering: .acquiring)
            let isGood = good > 0 && !isDead && request.headers["Authorization"] == "Bearer token-\(good)"
            let answer = isGood ? LoopbackResponse.json(request.text.isEmpty ? "{}" : request.echo) : .status(401)
            return delays ? answer.delayed(by: .milliseconds(Int.random(in: 0...20))) : answer
        }
        if holdsRefresh {
            server.hold("/token")
        } else {
            server.on("POST", "/token") { _ in
                .json(Self.pair(issued.count.add(1, ordering: .acquiringAndReleasing).newValue))
            }
        }
    }

    var refreshes: Int { server.requestCount("/token") }

    /// Makes the token in use no good any more.
    func expire() {
        issued.count.add(1, ordering: .acquiringAndReleasing)
    }

    func answer(_ exchange: LoopbackExchange) {
        exchange.respond(.json(Self.pair(issued.count.add(1, ordering: .acquiringAndReleasing).newValue)))
    }

    /// Returns when so many requests are frozen, which nothing announces.
    func frozen(_ count: Int, within limit: Duration = .seconds(30)) async throws {
        let deadline = ContinuousClock.now + limit
        while refresher.frozenCount < count {
            try #require(.now < deadline, "\(count) requests should be frozen; \(refresher.frozenCount) are")
            try await Observer.after(.milliseconds(1)).value
        }
    }

    func builder(_ method: HttpMethod, _ path: String) -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>().route(method, server.url(path)).sender(sender).log(to: .silent)
            .run(on: .inPlace, callbacks: .inPlace)
    }

    func request(_ method: HttpMethod, _ path: String) -> UrlChainsBuilder<URL> {
        builder(method, path).accessSafe(refresher).add(provider: tokens)
    }

    private static func pair(_ number: Int) -> String {
        #"{"accessToken": "token-\#(number)", "refreshToken": "refresh-\#(number)"}"#
    }
}

extension LoopbackRequest {
    /// What an answer repeats of the request: its JSON, or an empty object for another body.
    fileprivate var echo: String {
        headers["Content-Type"] == "application/json" ? text : "{}"
    }

    fileprivate var multipartPartsOrNone: [Part] {
        (try? multipartParts) ?? []
    }
}
