import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// When pages are requested, in which session, and until when.
struct PageStreamTests {
    private let server: LoopbackServer
    private let clock = TestClock()
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url("/")) { [clock] in
            $0.clock = clock
            $0.log.sink = .silent
        }
        server.on(.get, "/list") { request in
            let page = Int(request.queryItems.first?.value ?? "") ?? 0
            return .json(page > 3 ? "[]" : "[\(page * 10), \(page * 10 + 1)]")
        }
    }

    private func items(prefetch: Int = 0) -> ValueStream<Int> {
        api.get("list").items(of: Int.self, by: .pageNumber(), prefetch: prefetch)
    }

    // MARK: - When

    @Test func nothingIsSentBeforeItIsNeeded() async throws {
        let items = items()
        let iterator = items.makeAsyncIterator()
        #expect(server.requests.isEmpty)
        #expect(try await iterator.next() == 10)
        #expect(try await iterator.next() == 11)
        #expect(server.requests.count == 1)
        #expect(try await iterator.next() == 20)
        #expect(server.requests.count == 2)
        for _ in 0..<3 { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [1, 2, .max]) func thePageAfterTheCurrentOneIsPrefetched(prefetch: Int) async throws {
        let items = items(prefetch: prefetch)
        #expect(server.requests.isEmpty)
        let iterator = items.makeAsyncIterator()
        #expect(try await iterator.next() == 10)
        try await server.waitForRequests(2)
        #expect(try await iterator.next() == 11)
        #expect(server.requests.count == 2)
        #expect(try await iterator.next() == 20)
        try await server.waitForRequests(3)
        #expect(server.requests.count == 3)
        for _ in 0..<3 { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == 4)
    }

    @Test func lessThanNoPageIsNone() async throws {
        let iterator = items(prefetch: .min).makeAsyncIterator()
        #expect(try await iterator.next() == 10)
        #expect(server.requests.count == 1)
    }

    @Test func theErrorOfAPrefetchedPageIsThrownWhereItIs() async throws {
        server.on(.get, "/list", inOrder: [.json("[1, 2]"), .status(404)])
        let iterator = items(prefetch: 1).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        try await server.waitForRequests(2)
        #expect(try await iterator.next() == 2)
        for _ in 1...2 {
            #expect(await thrown(HttpError.self) { try await iterator.next() }?.status == 404)
        }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [0, 1]) func theErrorOfARuleIsThrownAfterItsPage(prefetch: Int) async throws {
        struct Failed: Error, Equatable {}
        let rule = Paging<PageItems<Int>> { _, _ in throw Failed() }
        let iterator = api.get("list").items(of: Int.self, by: rule, prefetch: prefetch).makeAsyncIterator()
        #expect(try await iterator.next() == 0)
        #expect(try await iterator.next() == 1)
        await #expect(throws: Failed()) { try await iterator.next() }
    }

    @Test func releasingTheStreamCancelsAPrefetchedPage() async throws {
        let exchange: LoopbackExchange
        do {
            let iterator = items(prefetch: 1).makeAsyncIterator()
            server.on(.get, "/list", inOrder: [.json("[1, 2]"), .held])
            #expect(try await iterator.next() == 1)
            exchange = try await server.nextRequest("/list")
        }
        try await exchange.clientClosed()
    }

    @Test(arguments: [0, 1]) func cancelingTheReaderCancelsTheRequest(prefetch: Int) async throws {
        server.on(.get, "/list", inOrder: [.json("[1]"), .held])
        let reading = Task { [items = items(prefetch: prefetch)] in
            for try await _ in items {}
        }
        let exchange = try await server.nextRequest("/list")
        reading.cancel()
        try await exchange.clientClosed()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func concurrentReadersGetAPageEach() async throws {
        let pages = api.get("list").pages(as: [Int].self, by: .pageNumber())
        let firsts = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<4 { group.addTask { try await pages.makeAsyncIterator().next()?.value.first ?? 0 } }
            return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
        }
        #expect(firsts == [0, 10, 20, 30])
        #expect(server.requests.map(\.query) == (1...4).map { "page=\($0)" })
    }

    // MARK: - Session

    @Test(arguments: [0, 1]) func allPagesBelongToTheSessionOfTheFirst(prefetch: Int) async throws {
        let tokens = TokenStore(TokenPair(accessToken: "first"))
        let iterator = api.auth(.bearer(tokens)).get("list")
            .pages(as: [Int].self, by: .pageNumber(), prefetch: prefetch).makeAsyncIterator()
        tokens.clear()
        tokens.set(TokenPair(accessToken: "second"))
        // The session is that of the first value, not of the call.
        _ = try await iterator.next()
        try await server.waitForRequests(1 + prefetch)
        tokens.clear()
        tokens.set(TokenPair(accessToken: "third"))
        if prefetch == 1 { _ = try await iterator.next() }
        let error = await thrown(AccessSafeError.self) { try await iterator.next() }
        #expect(error?.code == .signedOut)
        #expect(Set(server.requests.map { $0.headers["Authorization"] }) == ["Bearer second"])
    }

    @Test func aTokenIsRefreshedBetweenPages() async throws {
        let tokens = TokenStore(TokenPair(accessToken: "1"))
        server.on(.get, "/list") { request in
            if request.query == "page=2", request.headers["Authorization"] == "Bearer 1" { return .status(401) }
            return .json(request.query == "page=3" ? "[]" : "[1]")
        }
        let refresher = TokenRefresherNode(store: tokens) { _ in TokenPair(accessToken: "2") }
        let items = api.auth(.bearer(tokens, refreshedBy: refresher)).get("list").items(of: Int.self, by: .pageNumber())
        #expect(try await items.reduce(0) { $0 + $1 } == 2)
        #expect(server.requests.map { $0.headers["Authorization"] } == [1, 1, 2, 2].map { "Bearer \($0)" })
    }

    // MARK: - Deadline

    @Test func theDeadlineIsForAllPages() async throws {
        let iterator = api.get("list").deadline(.seconds(3)).pages(as: [Int].self, by: .pageNumber())
            .makeAsyncIterator()
        // It begins with the first page.
        clock.advance(by: .seconds(10))
        for _ in 1...2 {
            _ = try await iterator.next()
            clock.advance(by: .seconds(1))
        }
        clock.advance(by: .seconds(1))
        let error = await thrown(TechnicalError.self) { try await iterator.next() }
        #expect(error?.cause.code == .deadlinePassed)
        #expect(server.requests.count == 2)
    }

    @Test func theDeadlineEndsAPrefetchedPage() async throws {
        server.on(.get, "/list", inOrder: [.json("[1, 2]"), .held])
        let iterator = api.get("list").deadline(.seconds(3)).items(of: Int.self, by: .pageNumber(), prefetch: 1)
            .makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        let exchange = try await server.nextRequest("/list")
        clock.advance(by: .seconds(3))
        try await exchange.clientClosed()
        // The items before the error are delivered.
        #expect(try await iterator.next() == 2)
        #expect(await thrown(TechnicalError.self) { try await iterator.next() }?.cause.code == .deadlinePassed)
    }

    @Test func aRuleWithARequestOfItsOwnMeetsTheDeadline() async throws {
        let rule = Paging<[Int]> { [api] _, _ in api.get("list?page=2") }
        let iterator = api.get("list").deadline(.seconds(3)).pages(as: [Int].self, by: rule).makeAsyncIterator()
        _ = try await iterator.next()
        clock.advance(by: .seconds(3))
        #expect(await thrown(TechnicalError.self) { try await iterator.next() }?.isTimeout == true)
        #expect(server.requests.count == 1)
    }
}
