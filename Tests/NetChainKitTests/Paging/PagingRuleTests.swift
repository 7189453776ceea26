import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the rules of ``Paging`` request.
struct PagingRuleTests {
    private struct Answer: Codable, Sendable {
        var items: [Int] = []
        var next: String?
        var nextId: Int?
    }

    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url("/v1")) { $0.log.sink = .silent }
    }

    private var targets: [String] { server.requests.map(\.target) }

    private func all<Value>(_ stream: ValueStream<Value>) async throws -> [Value] {
        var values: [Value] = []
        for try await value in stream { values.append(value) }
        return values
    }

    /// Serves lists of numbers, one for each request to `/v1/list`.
    private func serve(_ pages: [[Int]]) {
        server.on(.get, "/v1/list", inOrder: pages.map { .json($0) })
    }

    // MARK: - Values in the path

    @Test(arguments: ["list?page=3&q=a%20b&page=4#top", "list?q=a%20b&p%61ge=3", "/list?page&q=a%20b"])
    func aValueInThePathIsReplaced(path: String) async throws {
        serve([[1], []])
        #expect(try await all(api.get(path).items(of: Int.self, by: .pageNumber())) == [1])
        #expect(targets == ["/v1/list?q=a%20b&page=1", "/v1/list?q=a%20b&page=2"])
    }

    @Test func aValueInAWholeUrlIsReplaced() async throws {
        serve([[1], []])
        let url = "\(server.url)/v1/list?offset=7"
        #expect(try await all(api.get(url).items(of: Int.self, by: .offset(limit: 5))) == [1])
        #expect(targets == ["/v1/list?limit=5&offset=0", "/v1/list?limit=5&offset=1"])
    }

    // MARK: - Long polls

    @Test func aLongPollAsksForWhatFollowsItsPosition() async throws {
        let clock = TestClock()
        serve([[1, 2], [], [3], []])
        let api = api.setting { $0.clock = clock }
        let stream = api.get("list").query("since", 0).items(of: Int.self, by: .longPoll("since") { $0.value.last })
        let items = stream.makeAsyncIterator()
        #expect(try await [items.next(), items.next()] == [1, 2])
        let third = Task { try await items.next() }
        // The server has nothing new, and its client doesn't ask at once.
        await eventually("it waits: \(clock.delays)") { clock.delays == [.seconds(1)] }
        #expect(targets == ["/v1/list?since=0", "/v1/list?since=2"])
        clock.advance(by: .seconds(1))
        #expect(try await third.value == 3)
        let fourth = Task { try await items.next() }
        await eventually("it waits: \(clock.delays)") { clock.delays == [.seconds(1)] }
        fourth.cancel()
        await #expect(throws: CancellationError.self) { try await fourth.value }
        #expect(targets.suffix(2) == ["/v1/list?since=2", "/v1/list?since=3"])
    }

    @Test func aLongPollSurvivesARestart() async throws {
        server.on(.get, "/v1/list", inOrder: [.json([1]), .reset, .close, .status(503), .json([2])])
        let request = api.get("list").retry(.exponential(maxAttempts: .max, initialDelay: .milliseconds(1)))
        let items = request.items(of: Int.self, by: .longPoll("since") { $0.value.last }).makeAsyncIterator()
        #expect(try await [items.next(), items.next()] == [1, 2])
    }

    // MARK: - Links

    @Test(arguments: [
        "</v1/list?page=2>; rel=next", "<?page=2>; rel=\"next\"", "<list?page=2>;rel=\"prev next\"",
        "<?page=1>; rel=prev, <?page=2>; title=\"a, <b>; rel=next\"; rel=NEXT",
        "<../v1/./list?page=2>; rel=next", "<?page=7>; rel=next; anchor=\"/v1/other\", <?page=2>; rel=next",
    ])
    func aLinkIsFollowed(link: String) async throws {
        server.on(.get, "/v1/list", inOrder: [.json("[1]", headers: ["Link": link]), .json("[2]")])
        let items = try await all(api.get("list").items(of: Int.self, by: .link))
        #expect(items == [1, 2])
        #expect(targets == ["/v1/list", "/v1/list?page=2"])
    }

    @Test func theLinkOfASecondFieldIsFollowed() async throws {
        let first = LoopbackResponse.json("[1]").addingHeader("Link", "<?page=9>; rel=last")
            .addingHeader("link", "<?page=2>; rel=next")
        server.on(.get, "/v1/list", inOrder: [first, .json("[2]")])
        #expect(try await all(api.get("list").items(of: Int.self, by: .link)) == [1, 2])
    }

    @Test func aLinkIsRelativeToTheResponseAfterRedirects() async throws {
        server.on(.get, "/v1/list", respond: .redirect(to: "/v2/list"))
        server.on(
            .get, "/v2/list", inOrder: [.json("[1]", headers: ["Link": "<?page=2>; rel=next"]), .json("[2]")])
        #expect(try await all(api.get("list").items(of: Int.self, by: .link)) == [1, 2])
        #expect(targets == ["/v1/list", "/v2/list", "/v2/list?page=2"])
    }

    @Test func queryValuesAreNotAddedToALink() async throws {
        let next = "<?page=2&sort=up%2Bdown&max_tokens=5>; rel=next"
        server.on(.get, "/v1/list", inOrder: [.json("[1]", headers: ["Link": next]), .json("[2]")])
        _ = try await all(api.query("sort", "up").get("list?filter=a").query("limit", 1).items(of: Int.self, by: .link))
        #expect(targets == ["/v1/list?filter=a&limit=1&sort=up", "/v1/list?page=2&sort=up%2Bdown&max_tokens=5"])
    }

    @Test func aTargetThatIsNoUrlIsAnError() async throws {
        server.on(.get, "/v1/list", respond: .json("[1]", headers: ["Link": "<http://a:b:c/>; rel=next"]))
        let stream = api.get("list").items(of: Int.self, by: .link).makeAsyncIterator()
        #expect(try await stream.next() == 1)
        #expect(await thrown(RequestBuildingError.self) { try await stream.next() }?.code == .invalidUrl)
    }

    @Test(arguments: ["\"?page=2\"", "\"{}/v1/list?page=2\""])
    func aUrlInTheBodyIsFollowed(next: String) async throws {
        let next = next.replacing("{}", with: server.url("/").absoluteString.dropLast())
        server.on(
            .get, "/v1/list",
            inOrder: [.json(#"{"items": [1], "next": \#(next)}"#), .json(#"{"items": [2], "next": ""}"#)])
        let stream = api.get("list").query("x", 1).items(
            of: Int.self, at: "items", by: .url { $0.value.json["next"]?.string })
        #expect(try await all(stream) == [1, 2])
        #expect(targets == ["/v1/list?x=1", "/v1/list?page=2"])
    }

    // MARK: - Numbers

    @Test func anEmptyPageEndsPageNumbers() async throws {
        serve([[1, 2], [3], []])
        #expect(try await all(api.get("list").query("q", "a").items(of: Int.self, by: .pageNumber())) == [1, 2, 3])
        #expect(targets == ["/v1/list?page=1&q=a", "/v1/list?page=2&q=a", "/v1/list?page=3&q=a"])
    }

    @Test func thePagesOfAnEmptyListAreOneEmptyPage() async throws {
        serve([[]])
        let pages = try await all(api.get("list").pages(as: [Int].self, by: .pageNumber("p", from: 0)))
        #expect(pages.map(\.value) == [[]])
        #expect(targets == ["/v1/list?p=0"])
    }

    @Test func aRuleMaySayWhichPageIsTheLast() async throws {
        server.on(.get, "/v1/list", inOrder: [.json(#"{"items": [1]}"#), .json(#"{"items": []}"#)])
        let pages = try await all(
            api.get("list").pages(as: Answer.self, by: .pageNumber(isLast: { $0.value.items.isEmpty })))
        #expect(pages.map(\.value.items) == [[1], []])
    }

    @Test func theLastNumberOfAllEndsTheList() async throws {
        serve([[1]])
        #expect(try await all(api.get("list").items(of: Int.self, by: .pageNumber(from: .max))) == [1])
    }

    @Test func anOffsetCountsTheItemsReceived() async throws {
        serve([[1, 2], [3], [4, 5], []])
        #expect(try await all(api.get("list").items(of: Int.self, by: .offset(limit: 3))) == [1, 2, 3, 4, 5])
        #expect(
            targets == [0, 2, 3, 5].map { "/v1/list?limit=3&offset=\($0)" })
    }

    @Test func anOffsetHasNamesAndAStart() async throws {
        server.on(.get, "/v1/list", inOrder: [.json(#"{"items": [1, 2]}"#), .json(#"{"items": []}"#)])
        _ = try await all(
            api.get("list").pages(
                as: Answer.self,
                by: .offset("skip", from: 10, limit: 5, named: "take") { $0.value.items.count }))
        #expect(targets == ["/v1/list?skip=10&take=5", "/v1/list?skip=12&take=5"])
    }

    // MARK: - Cursors

    @Test(arguments: [#""next": """#, #""next": null"#, #""other": 1"#])
    func aPageWithoutACursorIsTheLast(next: String) async throws {
        server.on(
            .get, "/v1/list",
            inOrder: [
                .json(#"{"items": [1], "next": "a=&b"}"#), .json(#"{"items": [], "next": "c"}"#),
                .json(#"{"items": [2], \#(next)}"#),
            ])
        let items = api.get("list").query("after", "z")
            .items(of: Int.self, at: "items", by: .cursor("after") { $0.value.json["next"]?.string })
        #expect(try await all(items) == [1, 2])
        #expect(targets == ["/v1/list?after=z", "/v1/list?after=a%3D%26b", "/v1/list?after=c"])
    }

    @Test func aCursorMayBeANumberOrInAHeader() async throws {
        server.on(.get, "/v1/list", inOrder: [.json(#"{"items": [1], "nextId": 7}"#), .json(#"{"items": [2]}"#)])
        _ = try await all(api.get("list").pages(as: Answer.self, by: .cursor("id") { $0.value.nextId }))
        server.on(.get, "/v1/list", inOrder: [.json("[1]", headers: ["X-Next": "t"]), .json("[2]")])
        _ = try await all(api.get("list").pages(as: [Int].self, by: .cursor("next") { $0.headers["X-Next"] }))
        #expect(targets == ["/v1/list", "/v1/list?id=7", "/v1/list", "/v1/list?next=t"])
    }

    // MARK: - The request

    @Test func whatIsSetOnTheRequestStays() async throws {
        server.on(
            .post, "/v1/search",
            inOrder: [.json("[1]", headers: ["Link": "</v1/search?c=2>; rel=next"]), .status(503), .json("[2]")])
        let items = api.post("search").body(["q": "x"]).header("X-Own", "1").retry(.constant(.zero, maxAttempts: 2))
            .repeatable().items(of: Int.self, by: .link)
        #expect(try await all(items) == [1, 2])
        #expect(targets == ["/v1/search", "/v1/search?c=2", "/v1/search?c=2"])
        #expect(server.requests.allSatisfy { $0.text == #"{"q":"x"}"# && $0.headers["X-Own"] == "1" })
    }

    @Test func aRuleMayChangeTheBodyOrUseAnotherRequest() async throws {
        server.on(.post, "/v1/search", inOrder: [.json("[1]"), .json("[2]")])
        server.on(.get, "/v1/more", respond: .json("[3]"))
        let rule = Paging<[Int]> { [api] page, request in
            switch page.value {
            case [1]: request.body(["after": 1])
            case [2]: api.get("more")
            default: nil
            }
        }
        let pages = try await all(api.post("search").body(["after": 0]).pages(as: [Int].self, by: rule))
        #expect(pages.map(\.value) == [[1], [2], [3]])
        #expect(server.requests.map(\.text) == [#"{"after":0}"#, #"{"after":1}"#, ""])
    }

    // MARK: - Repetition

    @Test func aRuleThatReturnsTheSameRequestFails() async throws {
        server.on(.any, "/v1/list", respond: .json("[1]"))
        let same = Paging<[Int]> { $1 }
        for request in [
            api.get("list"), api.post("list").body(["a": 1]), api.post("list").repeatable().form(["a": 1]),
            api.post("list").body(.data(Data([1]))),
            api.get("list").auth(.bearer(TokenStore(TokenPair(accessToken: "t")))),
        ] {
            let pages = request.pages(as: [Int].self, by: same).makeAsyncIterator()
            #expect(try await pages.next()?.value == [1])
            let error = await thrown(ValueStreamError.self) { try await pages.next() }
            #expect(error?.code == .repeatedPage)
            #expect(error?.request?.hasSuffix("/v1/list") == true || error?.request?.contains("/v1/list, ") == true)
        }
        #expect(server.requests.count == 5)
    }

    @Test func aRuleThatReturnsANewRequestToTheSamePageFails() async throws {
        server.on(.get, "/v1/list", respond: .json("[1]"))
        let pages = api.get("list").pages(as: [Int].self, by: Paging { [api] _, _ in api.get("list") })
        let error = await thrown(ValueStreamError.self) { try await all(pages) }
        #expect(error?.code == .repeatedPage)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["<?page=1>; rel=next", "<>; rel=next"])
    func linksThatFormACircleFail(second: String) async throws {
        server.on(.get, "/v1/list") { request in
            .json("[1]", headers: ["Link": request.query == "page=1" ? "<?page=2>; rel=next" : second])
        }
        let error = await thrown(ValueStreamError.self) {
            try await all(api.get("list?page=1").items(of: Int.self, by: .link))
        }
        #expect(error?.code == .repeatedPage)
        #expect(targets == ["/v1/list?page=1", "/v1/list?page=2"])
    }

    @Test func aRequestWithAnotherHeaderOrMethodIsNoRepetition() async throws {
        server.on(.any, "/v1/list", respond: .json("[1]"))
        let rule = Paging<[Int]> { [server, api] _, request in
            let count = server.requests.count
            switch count {
            case ..<4: return request.header("Range", "items=\(count)")
            case 4: return api.post("list")
            default: return nil
            }
        }
        #expect(try await all(api.get("list").pages(as: [Int].self, by: rule)).count == 5)
    }

    /// What a stream sends isn't known before it is sent.
    @Test func requestsWithAStreamAreNotCompared() async throws {
        server.on(.any, "/v1/list", respond: .json("[1]"))
        let rule = Paging<[Int]> { [server] _, request in server.requests.count < 3 ? request : nil }
        let pages = api.post("list").body(lines: AsyncStream { $0.finish() } as AsyncStream<Int>)
        #expect(try await all(pages.pages(as: [Int].self, by: rule)).count == 3)
    }

    @Test func anotherStreamMayRequestTheSamePages() async throws {
        serve([[1], []])
        for _ in 1...2 { _ = try await all(api.get("list").items(of: Int.self, by: .pageNumber())) }
        #expect(server.requests.count == 3)
    }
}
