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

/// `accessSafe(_:)` of a builder, over the real sender.
struct AccessSafeChainTests {
    /// The application's token; refreshing it gives "new".
    final class Session: MetadataProvider {
        private let token = Mutex("old")
        let refreshes = Counter()

        func metadata() -> [String: String] {
            ["Authorization": "Bearer \(token.withLock { $0 })"]
        }

        func refresh() {
            refreshes.add()
            token.withLock { $0 = "new" }
        }
    }

    private let server: LoopbackServer
    private let session = Session()

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/*") { request in
            request.headers["Authorization"] == "Bearer new"
                ? .json(#"{"townName": "Riga"}"#) : .text("refused", status: request.path == "/403" ? 403 : 401)
        }
    }

    private func builder(_ refresher: TokenRefresherNode? = nil) -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>().quiet().route(.post, server.url("/")).add(provider: session)
            .accessSafe(refresher ?? TokenRefresherNode { [session] in session.refresh() })
    }

    private func expectOneReplay() {
        #expect(session.refreshes.value == 1)
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
        #expect(server.requests.first?.body == server.requests.last?.body)
        #expect(server.requests.first?.headers["Content-Type"] == server.requests.last?.headers["Content-Type"])
    }

    @Test func aModelIsSentAgainWithTheNewToken() async throws {
        let chain: Node<Town, Town> = builder().build()
        #expect(try await chain.execute(Town(name: "Oslo")) == Town(name: "Riga"))
        expectOneReplay()
        #expect(server.requests.last?.text == #"{"townName":"Oslo"}"#)
    }

    @Test func aRequestWithoutInputIsSentAgain() async throws {
        #expect(try await builder().build().execute() == Town(name: "Riga"))
        expectOneReplay()
    }

    @Test func aRequestWithoutOutputIsSentAgain() async throws {
        let chain: Node<Town, Void> = builder().build()
        try await chain.execute(Town(name: "Oslo"))
        expectOneReplay()
    }

    @Test func aRequestWithNeitherIsSentAgain() async throws {
        let chain: Node<Void, Void> = builder().build()
        try await chain.execute()
        expectOneReplay()
    }

    @Test func aFormIsSentAgainByteByByte() async throws {
        let form = MultipartModel<[String: Data]>(
            payloadModel: ["title": Data("Dusk".utf8)],
            files: ["photo": .data(data: Data([0xFF, 0, 1]), filename: "dusk.png")])
        let chain: Node<MultipartModel<[String: Data]>, Town> = builder().build()
        #expect(try await chain.execute(form) == Town(name: "Riga"))
        expectOneReplay()
        #expect(try #require(server.requests.last).multipartParts.map(\.name) == ["title", "photo"])
    }

    @Test func aFileOnDiskIsSentAgainByteByByte() async throws {
        let folder = try TestFolder()
        let file = try folder.file("letter.txt", Data(repeating: 0x61, count: 300_000))
        let form = MultipartModel<[String: Data]>(payloadModel: [:], files: ["letter": .url(url: file)])
        let chain: Node<MultipartModel<[String: Data]>, Town> = builder().build()
        #expect(try await chain.execute(form) == Town(name: "Riga"))
        expectOneReplay()
        let part = try #require(server.requests.last?.multipartParts.first)
        #expect(part.filename == file.lastPathComponent)
        #expect(part.contentType == "text/plain")
        #expect(part.body.count == 300_000)
    }

    @Test func aFormWithoutOutputIsSentAgainByteByByte() async throws {
        let chain: Node<MultipartModel<[String: Data]>, Void> = builder().build()
        try await chain.execute(MultipartModel(payloadModel: ["title": Data("Dusk".utf8)]))
        expectOneReplay()
        #expect(server.requests.last?.bodyLength != 0)
    }

    @Test func aFileIsLoadedWithTheNewToken() async throws {
        #expect(try await builder().loadData().execute() == Data(#"{"townName": "Riga"}"#.utf8))
        expectOneReplay()
    }

    @Test func aFileForAModelIsLoadedWithTheNewToken() async throws {
        let chain: Node<Town, Data> = builder().loadData()
        #expect(try await chain.execute(Town(name: "Oslo")) == Data(#"{"townName": "Riga"}"#.utf8))
        expectOneReplay()
    }

    @Test func forbiddenCountsTooAndOtherStatusesDoNot() async throws {
        server.on(.any, "/404", respond: .text("no", status: 404))
        #expect(try await builder().route(.get, server.url("/403")).build().execute() == Town(name: "Riga"))
        #expect(session.refreshes.value == 1)
        let error = await thrown(HttpError.self) {
            try await builder().route(.get, server.url("/404")).loadData().execute()
        }
        #expect(error?.status == 404)
        #expect(session.refreshes.value == 1)
    }

    @Test func aRequestThatIsRefusedAgainPassesItsErrorUp() async throws {
        server.on(.any, "/never", respond: .text("refused", status: 401))
        let error = await thrown(HttpError.self) {
            try await builder().route(.get, server.url("/never")).loadData().execute()
        }
        guard case .unauthorized = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(session.refreshes.value == 1)
        #expect(server.requestCount("/never") == 2)
    }

    @Test func aFailedRefreshIsTheRequestsError() async throws {
        struct SignedOut: Error {}
        let refresher = TokenRefresherNode { throw SignedOut() }
        await #expect(throws: SignedOut.self) { try await builder(refresher).build().execute() as Town }
        #expect(server.requests.count == 1)
    }

    @Test func oneRefreshServesAllFormsThatShareTheRefresher() async throws {
        let refresher = TokenRefresherNode { [session] in session.refresh() }
        let town: Node<Town, Town> = builder(refresher).build()
        let file = builder(refresher).loadData()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask {
                    if index.isMultiple(of: 2) {
                        _ = try await town.execute(Town(name: "\(index)"))
                    } else {
                        _ = try await file.execute()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(session.refreshes.value == 1)
        let answered = server.requests.filter { $0.headers["Authorization"] == "Bearer new" }
        #expect(answered.count == 40)
    }

    @Test func anAccessFailureIsNotARetrysBusiness() async throws {
        let chain: Node<Town, Town> = builder().retry(.constant(.milliseconds(1))).build()
        #expect(try await chain.execute(Town(name: "Oslo")) == Town(name: "Riga"))
        expectOneReplay()
    }

    @Test func callbacksSeeTheAnswerOfTheReplay() async throws {
        let chain: Node<Void, Town> = builder().build()
        let observer = chain.process()
        let ends = Ends(observer)
        try await ends.wait()
        #expect(ends.all == ["completed", "defer"])
        #expect(observer.outcome?.value == Town(name: "Riga"))
        expectOneReplay()
    }

    /// A retry needs the gate's admission again, and the token has expired meanwhile.
    @Test(arguments: [401, 503])
    func aFailedRefreshBeforeARetryIsTheErrorOfTheRequest(status: Int) async throws {
        let refreshes = Counter()
        let isExpired = Atomic(false)
        let sender = ScriptedRequestSender { exchange in
            isExpired.store(true, ordering: .relaxed)
            exchange.respond(status: 503)
        }
        let tokens = ScriptedRequestSender { $0.respond(status: status) }
        let refresher = TokenRefresherNode(freshness: { isExpired.load(ordering: .relaxed) ? .expired : .fresh }) {
            refreshes.add()
            try await ApiClient("https://tokens.example.com") { $0.sender = tokens }.log(to: .silent).post("token")
                .send()
        }
        let chain: Node<Void, Void> = UrlChainsBuilder<URL>().quiet().route(.get, server.url("/")).sender(sender)
            .accessSafe(refresher).retry(.constant(.zero, maxAttempts: 4)).build()
        let error = await thrown(HttpError.self) { try await chain.execute() }
        #expect(error?.response.url.host == "tokens.example.com")
        #expect(refreshes.value == 1)
        #expect(sender.requests.count == 1)
    }
}
