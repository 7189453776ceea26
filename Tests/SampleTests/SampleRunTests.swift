import Foundation
import NetChainKit
import NetChainTestKit
import Testing

/// The samples that take a client run against a server.
struct SampleRunTests {
    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) { $0.log.sink = .silent }
    }

    @Test func theFirstRequests() async throws {
        server.on(.get, "/users/1", respond: .json(#"{"id": 1, "name": "Ada"}"#).header("ETag", "\"1\""))
        server.on(.get, "/users", respond: .json(#"[{"id": 1, "name": "Ada"}]"#))
        server.on(.post, "/users", respond: .json(#"{"id": 2, "name": "Ada"}"#, status: 201))
        server.on(.patch, "/users/1", respond: .json(#"{"id": 1, "name": "Ada"}"#))
        server.on(.delete, "/users/1", respond: .status(204))
        server.on(.get, "/names", respond: .json(#"["Ada", "Grace"]"#))
        server.on(.get, "/counts", respond: .json(#"{"a": 1}"#))
        server.on(.get, "/motd", respond: .text("hello"))
        server.on(.get, "/logo.png", respond: .data(Data([1, 2, 3])))
        try await firstRequests(api, since: Date(timeIntervalSince1970: 0))
        let list = try #require(server.requests.first { $0.path == "/users" && $0.method == .get })
        #expect(list.query == "page=2&since=1970-01-01T00%3A00%3A00Z&tags%5B%5D=a&tags%5B%5D=b")
        #expect(server.requests.first { $0.method == .post }?.text == #"{"name":"Ada"}"#)
        #expect(server.requests.first { $0.method == .patch }?.text == #"{"name":"Ada"}"#)
        #expect(server.requests.first { $0.method == .delete }?.bodyLength == 0)
    }

    @Test func aChainOfARequest() async throws {
        server.on(.get, "/items/1", inOrder: [.json(#"{"id": 1}"#), .json(#"{"id": "7"}"#)])
        server.on(.any, "/any") { request in
            request.headers["Content-Type"]?.hasPrefix("application/json") == true
                ? .json(request.text.contains("\"x\"") ? #"{"id": 3}"# : #"{"id": "3"}"#) : .json(#"{"id": 1}"#)
        }
        let item = try await api.get("items/1").chain(as: Item.self).execute()
        #expect(item.id == 1)
        #expect(try await api.get("items/1").chain(as: Thing.self).execute().number == 7)
    }

    @Test func genericCode() async throws {
        let both = #"{"id": 1}"#
        server.on(
            .get, "/both",
            inOrder: [
                .json(both), .json(both), .json("[\(both)]"), .json("null"), .json("{\"a\": \(both)}"), .json(both),
                .json(both),
            ])
        server.on(.get, "/number", respond: .json("7"))
        let next = server.url("/more").absoluteString
        server.on(.get, "/more", respond: .json(#"{"items": [\#(both)], "next": null}"#))
        let repository = Repository(api: api)
        server.on(.get, "/first", respond: .json(#"{"items": [\#(both)], "next": "\#(next)"}"#))
        let all: [Both] = try await repository.all("first")
        #expect(all.map(\.id) == [1, 1])
        let value: Both = try await repository.load("both")
        let model: Both = try await repository.loadModel("both")
        #expect((value.id, model.id) == (1, 1))
        let number: Int = try await repository.load("number")
        #expect(number == 7)
    }

    @Test func middleware() async throws {
        server.on(.get, "/users/1", respond: .json(#"{"id": 1, "name": "Ada"}"#))
        let user: User = try await withMiddleware(api).get("users/1").send()
        #expect(user.id == 1)
        #expect(server.requests.first?.headers["X-Signature"] == "k-/users/1")
        let canned: User = try await api.middleware(Canned(json: #"{"id": 9, "name": "Eve"}"#)).get("users/2").send()
        #expect(canned.id == 9)
        #expect(server.counts.requests == 1)
    }

    @Test func bodiesOfEachKind() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sample-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, target) = (folder.appending(path: "a.jpg"), folder.appending(path: "big.iso"))
        try Data([1, 2, 3]).write(to: file)
        server.on(.any, "/photos", respond: .json(#"{"id": 1}"#))
        server.on(.get, "/photos", respond: .json(#"[{"id": 1}]"#))
        server.on(.any, "/photos/1", respond: .json(#"{"id": 1}"#))
        server.on(.post, "/login", respond: .json(#"{"id": 1}"#))
        server.on(.post, "/json", respond: .json(#"{"id": 1}"#))
        server.on(.get, "/big.iso", respond: .data(Data(repeating: 7, count: 100_000)))
        server.on(.get, "/feed", respond: .text("abc"))
        try await bodies(api, file: file, target: target)
        #expect(try Data(contentsOf: target).count == 100_000)
        let texts = server.requests.filter { $0.method == .post }.map(\.text)
        #expect(texts[0] == #"{"text":"sunset"}"#)
        #expect(texts[1] == #"[{"text":"a"},{"text":"b"}]"#)
        #expect(texts[2] == "remember=1&user=ada")
        #expect(
            server.requests.filter { $0.method == .put }.map { $0.headers["Content-Type"] } == [
                "image/jpeg", "text/plain",
            ])
        #expect(server.requests.first { $0.path == "/photos" && $0.method == .get }?.query == "order=newest&year=2026")
    }

    @Test func theSeedsBuilder() async throws {
        server.on(.any, "/users/1", respond: .json(#"{"id": 1}"#))
        let user: SeedUser = try await AccessSafeChainBuilder<URL>().route(.get, server.url("/users/1"))
            .log(to: .silent).build().execute()
        #expect(user.id == 1)
        let own = ApiClient(server.url.absoluteString, builder: { AccessSafeChainBuilder() }) { $0.log.sink = .silent }
        let same: SeedUser = try await own.get("users/1").send()
        #expect(same.id == 1)
        #expect(own.get("users/1").chain(as: SeedUser.self).chain.names.contains("AccessSafeNode"))
    }

    @Test func errors() async throws {
        server.on(.get, "/orders/1", inOrder: [.status(404), .json(#"{"id": 5}"#)])
        #expect(await order(api) == nil)
        #expect(await order(api)?.id == 5)
    }

    @Test func aServiceWithoutANetwork() async throws {
        try await testCity()
    }

    @Test(.timeLimit(.minutes(1))) @MainActor func aScreen() async throws {
        server.on(.get, "/profile", inOrder: [.json(#"{"name": "Ada"}"#), .status(500)])
        let screen = ProfileScreen(api: api)
        screen.show()
        #expect(screen.isLoading)
        while screen.isLoading { await Task.yield() }
        #expect(screen.profile?.name == "Ada")
        screen.show()
        while screen.isLoading { await Task.yield() }
        #expect(screen.message.contains("500"))
    }

    @Test func operators() async throws {
        server.on(.get, "/author", respond: .json(#"{"id": 2, "name": "Ada"}"#))
        server.on(.get, "/books/2", respond: .json(#"{"id": "b"}"#))
        let library = Library(api: api)
        #expect(try await library.ten().value == "Ada49!012")
        #expect(try await library.seeds().value.id == "b")
        #expect(try await library.sum().value == 11)
    }
}
