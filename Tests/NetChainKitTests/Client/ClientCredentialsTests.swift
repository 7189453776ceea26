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

/// Which requests of a client have its credentials.
struct ClientCredentialsTests {
    private let sender = ScriptedRequestSender { $0.respond(json: "{}") }
    private let api: ApiClient

    init() {
        api = ApiClient("https://api.example.com/v1") { [sender] in
            $0.sender = sender
            $0.log.sink = .silent
            $0.headers["X-Client"] = "a"
            $0.query["lang"] = "en"
        }
    }

    private var urls: [String] { sender.requests.map(\.url.absoluteString) }

    @Test func credentialsGoToTheClientsOriginOnly() async throws {
        let api = api.auth(.bearer("secret")).header("Authorization", "x").header("cookie", "a=b")
        try await api.get("users").send()
        try await api.get("https://api.example.com/other").send()
        try await api.get("https://API.example.com:443/other").send()
        try await api.get(try #require(URL(string: "https://api.example.com/route"))).send()
        for url in ["http://api.example.com/", "https://api.example.com:444/", "https://evil.example/api.example.com"] {
            try await api.get(url).send()
            try await api.get(try #require(URL(string: url))).send()
        }
        let seen = sender.requests.map { ($0.headers["Authorization"], $0.headers["Cookie"]) }
        #expect(seen.prefix(4).allSatisfy { $0.0 == "Bearer secret" && $0.1 == "a=b" })
        #expect(seen.dropFirst(4).allSatisfy { $0.0 == nil && $0.1 == nil })
        #expect(sender.requests.allSatisfy { $0.headers["X-Client"] == "a" })
        try await api.get("https://other.example/").auth(.bearer("for it")).send()
        #expect(sender.requests.last?.headers["Authorization"] == "Bearer for it")
    }

    /// The senders of the client's origin and of another one see the same client.
    @Test func whatIsASecretAnywhereGoesToTheClientsOriginOnly() async throws {
        var configuration = SenderConfiguration()
        configuration.redirects.sensitiveHeaders.insert("X-Of-Sender")
        let declaring = DeclaringSender(next: sender, configuration)
        let names = [
            "X-Of-Sender", "X-Declared", "X-Own-Auth", "Private-Token", "X-Vault-Token", "X-Session", "X-Api-Key",
        ]
        let api = api.sender(declaring).auth(.header("X-Own-Auth", "a"))
            .log(redaction: .standard.adding(headers: ["x-declared"], keys: ["iban"]))
            .headers(Dictionary(uniqueKeysWithValues: names.map { ($0, "s") }))
            .query(["api_key": "s", "key": "s", "user": ["access_token": "s"], "iban": "s", "max_tokens": 5, "page": 2])
        try await api.get("a").send()
        try await api.get("https://other.example/a").send()
        try await api.get(try #require(URL(string: "http://api.example.com/a"))).header("X-Own-Auth", "for it").send()
        let home = try #require(sender.requests.first)
        #expect(names.filter { home.headers[$0] != nil } == names)
        #expect(home.url.query == "api_key=s&iban=s&key=s&lang=en&max_tokens=5&page=2&user%5Baccess_token%5D=s")
        for request in sender.requests.dropFirst() {
            #expect(request.url.query == "lang=en&max_tokens=5&page=2")
            #expect(request.headers["X-Client"] == "a")
        }
        #expect(names.filter { sender.requests[1].headers[$0] != nil } == [])
        #expect(names.filter { sender.requests[2].headers[$0] != nil } == ["X-Own-Auth"])
        for request in sender.requests {
            let command = request.curlCommand()
            for name in names where request.headers[name] != nil { #expect(command.contains("\(name): ***")) }
        }
    }

    /// A sender with declared secrets, in front of the one that records.
    private struct DeclaringSender: TraitDeclaring {
        let next: ScriptedRequestSender
        let traits: SenderTraits

        init(next: ScriptedRequestSender, _ configuration: SenderConfiguration) {
            self.next = next
            traits = SenderTraits(configuration)
        }

        func send(_ request: HttpRequest) async throws -> HttpResponse { try await next.send(request) }
    }

    @Test func whatTheSenderOfAServiceChainDeclaresIsASecret() async throws {
        var configuration = SenderConfiguration()
        configuration.redirects.sensitiveHeaders.insert("X-Partner")
        let declaring = DeclaringSender(next: sender, configuration)
        let api = ApiClient("https://api.example.com") {
            UrlChainsBuilder(serviceChain: UrlServiceChainBuilder(sender: declaring))
        } _: {
            $0.log.sink = .silent
            $0.headers["X-Partner"] = "s"
        }
        try await api.get("a").send()
        try await api.get("https://other.example/a").send()
        #expect(sender.requests.map { $0.headers["X-Partner"] } == ["s", nil])
    }

    @Test func aHostGoesToTheClientsOriginOnly() async throws {
        let api = api.header("Host", "a.example")
        let builder = ApiClient("https://api.example.com") {
            UrlChainsBuilder().set(metadata: ["host": "a.example"]).inject(headers: ["HOST": "b.example"])
        } _: { [sender] in
            $0.sender = sender
            $0.log.sink = .silent
        }
        for client in [api, builder] {
            try await client.get("a").send()
            try await client.get("https://other.example/a").send()
        }
        try await api.get("https://other.example/a").header("Host", "for.it").send()
        let elsewhere = builder.middleware(at: .aroundRequest) { request, next in
            var request = request
            request.url = try #require(URL(string: "https://other.example/a"))
            return try await next(request)
        }
        try await elsewhere.get("a").send()
        #expect(
            sender.requests.map { $0.headers["Host"] } == ["a.example", nil, "b.example", nil, "for.it", nil])
    }

    @Test func aCustomBuildersHeadersAndQueryStayWithTheClientsOriginToo() async throws {
        let api = ApiClient("https://api.example.com") {
            UrlChainsBuilder().set(metadata: ["X-Vault-Token": "s", "X-Other": "1"])
                .set(query: ["access_token": "s", "page": 1])
                .inject(headers: ["Private-Token": "s", "X-Injected": "1"])
        } _: { [sender] in
            $0.sender = sender
            $0.log.sink = .silent
        }
        try await api.get("a").send()
        try await api.get("https://other.example/a").send()
        let names = ["X-Vault-Token", "X-Other", "Private-Token", "X-Injected"]
        let seen = sender.requests.map { request in names.filter { request.headers[$0] != nil } }
        #expect(seen == [names, ["X-Other", "X-Injected"]])
        #expect(sender.requests.map(\.url.query) == ["access_token=s&page=1", "page=1"])
    }

    #if os(Linux)
    @Test func aUnixDomainSocketIsForTheClientsOriginOnly() async throws {
        let api = api.unixSocket("/a.sock")
        try await api.get("users").send()
        try await api.get("users").unixSocket("/b.sock").send()
        try await api.get("users").unixSocket(nil).send()
        try await api.get("https://other.example/").send()
        try await api.get("https://other.example/").unixSocket("/c.sock").send()
        #expect(sender.requests.map(\.options.unixSocket) == ["/a.sock", "/b.sock", nil, nil, "/c.sock"])
    }

    @Test func aClientReachesAServerOnAUnixDomainSocket() async throws {
        let folder = try TestFolder()
        let server = try LoopbackServer(unixSocket: folder.url.path + "/docker.sock")
        server.on(.get, "/v1.43/containers/json", respond: .json(#"[{"Id": "a"}]"#))
        let docker = ApiClient("http://localhost/v1.43").unixSocket(server.unixSocket).log(to: .silent)
        let containers: Json = try await docker.get("containers/json").send()
        #expect(containers[0]?["Id"]?.string == "a")
        #expect(server.requests.first?.headers["Host"] == "localhost")
    }
    #endif

    @Test func aRouteThatChangesItsMindGetsTheCredentialsOfItsFirstUrl() async throws {
        let place = Mutex("https://api.example.com/a")
        struct Moving: UrlRouteProvider {
            let text: @Sendable () -> String
            func url() throws -> URL { try #require(URL(string: text())) }
        }
        let route = Moving { place.withLock { $0 } }
        let chain = api.auth(.bearer("secret")).get(route).chain(as: Data.self)
        place.withLock { $0 = "https://evil.example/" }
        _ = try await chain.execute()
        #expect(urls == ["https://api.example.com/a?lang=en"])
        let error = await thrown(RequestBuildingError.self) {
            try await ApiClient("") { $0.sender = sender }.log(to: .silent).get(route).send()
        }
        #expect(error?.code == .invalidUrl)
    }

    @Test func eachKindOfAuthIsItsHeader() async throws {
        let store = TokenStore(TokenPair(accessToken: "t"))
        try await api.auth(.bearer(store)).get("a").send()
        try await api.auth(.basic(user: "ada", password: "pä:ss")).get("a").send()
        try await api.auth(.header("X-Api-Key", "k")).get("a").send()
        try await api.auth(.bearer("t")).auth(nil).get("a").send()
        #expect(
            sender.requests.map { $0.headers["Authorization"] } == [
                "Bearer t", "Basic YWRhOnDDpDpzcw==", nil, nil,
            ])
        #expect(sender.requests[2].headers["X-Api-Key"] == "k")
        #expect("\(ClientAuth.bearer("secret"))" == "ClientAuth")
    }

    @Test func theHeaderOfAnAuthIsMaskedAndStaysAtItsOrigin() async throws {
        let (other, server) = (try LoopbackServer(), try LoopbackServer())
        other.on(.get, "/", respond: .json("{}"))
        server.on(.get, "/", respond: .redirect(to: other.url("/").absoluteString))
        let store = LogStore(limit: 1)
        let api = ApiClient(server.url) {
            $0.auth = .header("X-Mine", "geheim")
            $0.log.sink = .memory(store)
            $0.log.filter.level = .debug
        }
        try await api.get("").send()
        #expect(server.requests.first?.headers["X-Mine"] == "geheim")
        #expect(other.requests.first?.headers["X-Mine"] == nil)
        let text = try #require(await store.report()).lines.map(\.log.message).joined(separator: "\n")
        #expect(text.contains("X-Mine: ***"))
        #expect(!text.contains("geheim"))
    }

    @Test(
        arguments: [([401], 401, 1), ([401], 403, 0), ([401, 403], 403, 1), ([], 401, 0)] as [(Set<Int>, Int, Int)])
    func aTokenIsRefreshedOnTheStatusesThatSaySo(statuses: Set<Int>, status: Int, refreshes: Int) async throws {
        let store = TokenStore(TokenPair(accessToken: "old", refreshToken: "r"))
        let count = Counter()
        // A 403 for a token that has just arrived isn't about its age.
        var limits = RefreshLimits()
        limits.window = .zero
        let refresher = TokenRefresherNode(store: store, limits: limits) { _ in
            count.add()
            return TokenPair(accessToken: "new", refreshToken: "r")
        }
        let sender = ScriptedRequestSender { exchange in
            let isNew = exchange.request.headers["Authorization"] == "Bearer new"
            exchange.respond(status: isNew ? 200 : status, json: "{}")
        }
        let api = api.sender(sender).auth(.bearer(store, refreshedBy: refresher, on: statuses))
        do {
            try await api.get("a").send()
            #expect(refreshes == 1)
        } catch let error as HttpError {
            #expect((error.response.status, refreshes) == (status, 0))
        }
        #expect(count.value == refreshes)
    }

    @Test func whatACustomBuilderAddsStaysAtTheClientsOrigin() async throws {
        let sender = ScriptedRequestSender { $0.respond(status: $0.request.url.host == "api.example.com" ? 200 : 401) }
        let refreshes = Counter()
        let tokens = TokenStore(TokenPair(accessToken: "secret"))
        let refresher = TokenRefresherNode { refreshes.add() }
        let api = ApiClient(
            "https://api.example.com",
            builder: {
                UrlChainsBuilder().add(provider: tokens).accessSafe(refresher)
                    .inject(headers: ["x-api-key": "secret", "X-Shop": "7"])
            }
        ) {
            $0.sender = sender
            $0.log.sink = .silent
        }
        try await api.get("x").send()
        await #expect(throws: HttpError.self) { try await api.get("https://other.example.com/x").send() }
        #expect(sender.requests.map { $0.headers["Authorization"] } == ["Bearer secret", nil])
        #expect(sender.requests.map { $0.headers["X-Api-Key"] } == ["secret", nil])
        #expect(sender.requests.map { $0.headers["X-Shop"] } == ["7", "7"])
        #expect(refreshes.value == 0)
    }
}
