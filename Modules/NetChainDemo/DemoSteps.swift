import NetChainKit
import NetChainTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

enum DemoSteps {
    static func all(_ demo: DemoServer, _ terminal: DemoTerminal, outputFolder: URL?) -> [DemoStep] {
        let steps = Steps(server: demo.server, terminal: terminal)
        let log = LogStep(server: demo.server, terminal: terminal, folder: outputFolder)
        return [
            DemoStep(title: "A typed GET of a list", run: { try await steps.list() }),
            DemoStep(title: "A typed GET of one user", run: { try await steps.one() }),
            DemoStep(title: "A query with an array, a bool and a dictionary", run: { try await steps.query() }),
            DemoStep(title: "A model sent as JSON", run: { try await steps.postJson() }),
            DemoStep(title: "A model sent as a form", run: { try await steps.postForm() }),
            DemoStep(title: "A multipart upload", run: { try await steps.upload() }),
            DemoStep(title: "A download with its progress", run: { try await steps.download() }),
            DemoStep(title: "An HTTP error, with the server's own words", run: { try await steps.httpError() }),
            DemoStep(title: "A connection error", run: { try await steps.connectionError() }),
            DemoStep(title: "An aborted request", run: { try await steps.abort() }),
            DemoStep(title: "Fifty requests meet an expired token: one refresh", run: { try await steps.refresh() }),
            DemoStep(title: "The log of one chain and a HAR file", run: { try await log.run() }),
        ]
    }

    static func plainGet(_ url: URL) -> [DemoStep] {
        [
            DemoStep(title: "A plain GET of \(Redaction.standard.url(url.absoluteString))") {
                let data = try await UrlChainsBuilder<URL>().route(.get, url).log(to: .silent).loadData().execute()
                print("   \(data.count) bytes")
                print(String(decoding: data.prefix(2_000), as: UTF8.self))
            }
        ]
    }
}

private struct Steps: Sendable {
    let server: LoopbackServer
    let terminal: DemoTerminal

    private func request(_ method: HttpMethod, _ path: String) -> UrlChainsBuilder<DemoRoute> {
        UrlChainsBuilder<DemoRoute>().route(method, DemoRoute(base: server.url, path: path)).log(to: .silent)
            .indicate(with: terminal.activity)
    }

    func list() async throws {
        let users: [User] = try await request(.get, "/users").build().execute()
        for user in users { terminal.line("\(user)") }
        try expect(users.map(\.name) == ["Ada", "Grace"], "Ada and Grace")
    }

    func one() async throws {
        let user: User = try await request(.get, "/users/1").build().execute()
        terminal.line("\(user)")
        try expect(user == User(id: 1, name: "Ada", isAdmin: true), "Ada")
    }

    func query() async throws {
        let query: [String: Any] = ["tags": ["swift", "linux"], "active": true, "page": ["number": 2, "size": 50]]
        let json: Json = try await request(.get, "/search").set(query: query).build().execute()
        let seen = try json.decode([String: String].self)
        let lines = seen.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
        terminal.line("the server read: " + lines.joined(separator: "; "))
        try expect(
            seen == ["tags[]": "swift, linux", "active": "1", "page[number]": "2", "page[size]": "50"],
            "the query as it was set")
    }

    func postJson() async throws {
        let sent = User(id: 3, name: "Лев 🦁", isAdmin: false)
        let created: User = try await request(.post, "/users").build().execute(sent)
        terminal.line("created: \(created)")
        try expect(created == sent, "the user that was sent")
    }

    func postForm() async throws {
        let receipt: Receipt = try await request(.post, "/login").encode(as: .formUrl)
            .build().execute(Login(email: "ada@example.com", password: "a+b & c=d"))
        terminal.line("the server read the fields: \(receipt.fields.keys.sorted())")
        try expect(receipt.fields["password"] == "a+b & c=d", "the password as it was sent")
    }

    func upload() async throws {
        let file = URL(fileURLWithPath: "/tmp/netchain-demo-\(UInt64.random(in: 0 ... .max)).txt")
        try Data(String(repeating: "NetChainKit\n", count: 1_000).utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var form = MultipartModel(fields: ["title": "Two files"])
        form.append(.url(url: file, filename: "notes.txt"), name: "file")
        form.append(.data(data: Data([0xFF, 0xD8, 0xFF]), filename: "photo.jpg"), name: "file")
        let receipt: Receipt = try await request(.post, "/photos").build().execute(form)
        terminal.line("the server read: \(receipt)")
        try expect(receipt.files == ["notes.txt": 12_000, "photo.jpg": 3], "both files")
    }

    func download() async throws {
        let data = try await request(.get, "/file")
            .onProgress { [terminal] in terminal.bar("download", $0.received, of: $0.totalToReceive) }
            .loadData().execute()
        try expect(data.count == DemoServer.fileSize, "the whole file")
    }

    func httpError() async throws {
        do {
            let _: User = try await request(.get, "/users/99").build().execute()
            throw DemoError(description: "expected an error")
        } catch let error as HttpError {
            terminal.line("\(error)")
            terminal.line("the server says: \(try error.decodeBody(as: ApiProblem.self).message)")
            try expect(error.status == 404, "404")
        }
    }

    func connectionError() async throws {
        let gone = try LoopbackServer()
        let url = gone.url
        gone.stop()
        do {
            try await UrlChainsBuilder<URL>().route(.get, url).log(to: .silent).build(Void.self).execute()
            throw DemoError(description: "expected an error")
        } catch let error as TechnicalError {
            terminal.line("\(error)")
        }
    }

    func abort() async throws {
        let chain: Node<Void, Json> = request(.get, "/slow").run(on: .inPlace, callbacks: .inPlace).build()
        let aborter = AborterNode(next: chain)
        let observer = aborter.process().onCanceled { [terminal] in terminal.line("the chain ended as canceled") }
        let exchange = try await server.nextRequest("/slow")
        aborter.abort()
        try await exchange.clientClosed()
        terminal.line("the server saw the connection end")
        // The server may see it before the observer is settled.
        do {
            _ = try await observer.value
            try expect(false, "a canceled observer")
        } catch is CancellationError {
        }
    }

    func refresh() async throws {
        server.on("GET", "/private") { request in
            request.headers["Authorization"] == "Bearer fresh" ? .json("{}") : .json("{}", status: 401)
        }
        server.on("POST", "/token") { _ in .json(#"{"accessToken": "fresh", "refreshToken": "second"}"#) }
        let tokens = TokenStore(TokenPair(accessToken: "expired", refreshToken: "first"))
        let refresher = TokenRefresherNode(store: tokens) { [server] _ in
            let route = DemoRoute(base: server.url, path: "/token")
            let json: Json = try await UrlChainsBuilder<DemoRoute>().route(.post, route).log(to: .silent)
                .build().execute()
            return try json.decode(TokenPair.self)
        }
        let chain: Node<Void, Json> = request(.get, "/private").accessSafe(refresher).add(provider: tokens).build()
        let answers = try await withThrowingTaskGroup(of: Json.self) { group in
            for _ in 0..<50 { group.addTask { try await chain.execute() } }
            return try await group.reduce(into: 0) { count, _ in count += 1 }
        }
        let refreshes = server.requestCount("/token")
        let calls = server.requests("/private")
        let refused = calls.filter { $0.headers["Authorization"] == "Bearer expired" }.count
        terminal.line("\(answers) answers; the server counted \(refreshes) refresh, \(refused) refused requests and")
        terminal.line("\(calls.count - refused) with the new token")
        try expect(answers == 50 && refreshes == 1 && calls.count - refused == 50, "50 answers and one refresh")
    }
}
