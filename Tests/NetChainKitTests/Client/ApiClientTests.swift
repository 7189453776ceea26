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

/// What a client sends, by a sender that records it.
struct ApiClientTests {
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

    // MARK: - Where to

    @Test(
        arguments: [
            ("users", "https://api.example.com/v1/users?lang=en"),
            ("/users/", "https://api.example.com/v1/users/?lang=en"),
            ("", "https://api.example.com/v1?lang=en"),
            ("users?page=2", "https://api.example.com/v1/users?page=2&lang=en"),
            ("a b", "https://api.example.com/v1/a%20b?lang=en"),
            ("//evil.example", "https://api.example.com/v1/evil.example?lang=en"),
            ("https://api.example.com/next", "https://api.example.com/next?lang=en"),
        ])
    func aPathIsBelowTheBaseUrl(path: String, url: String) async throws {
        try await api.get(path).send()
        #expect(urls == [url])
    }

    @Test func oneQueryValueMayBeNilOrHaveAnotherStyleOfArrays() async throws {
        let (missing, present): (String?, String?) = (nil, "b")
        try await api.get("token").query("service", missing).query("account", present)
            .query("scope", ["a", "b"], arrays: .noBrackets).query("id", [1]).send()
        try await api.query("scope", ["a"]).get("token").query("scope", present, arrays: .noBrackets).send()
        #expect(
            urls == [
                "https://api.example.com/v1/token?account=b&id%5B%5D=1&lang=en&scope=a&scope=b",
                "https://api.example.com/v1/token?lang=en&scope=b",
            ])
    }

    @Test(arguments: [
        ("https://s3.example/o?sig=a%2Bb&q=[1]", "https://s3.example/o?sig=a%2Bb&q=%5B1%5D&lang=en"),
        ("HTTPS://s3.example/a%20b|c", "HTTPS://s3.example/a%20b%7Cc?lang=en"),
        (" https://s3.example/x\n", "https://s3.example/x?lang=en"),
        ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC?lang=en"),
        ("https://h/a/../b//./c", "https://h/a/../b//./c?lang=en"),
        ("a/../b/./c//d", "https://api.example.com/v1/a/../b/./c//d?lang=en"),
        ("a%2Fb|c%?q=%2B[]#x%20#|", "https://api.example.com/v1/a%2Fb%7Cc%25?q=%2B%5B%5D&lang=en#x%20%23%7C"),
        ("ftp://h/x", "https://api.example.com/v1/ftp://h/x?lang=en"),
    ])
    func escapesOfATextStay(text: String, url: String) async throws {
        try await api.get(text).send()
        #expect(urls == [url])
    }

    @Test(arguments: [
        ("https://h/a%20b|c", "https://h/a%20b%7Cc/users"), ("\thttps://h\r\n", "https://h/users"),
        ("https://bücher.example", "https://xn--bcher-kva.example/users"),
        ("https://h?key=a%2Bb[", "https://h/users?key=a%2Bb%5B"),
    ])
    func escapesOfABaseUrlStay(base: String, url: String) async throws {
        let client = ApiClient(base) { $0.sender = sender }.log(to: .silent)
        try await client.get("users").send()
        #expect(urls == [url])
    }

    @Test func aUrlMayHaveAHostBeyondAscii() async throws {
        let url = try #require(URL(string: "http://b%C3%BCcher.example/x"))
        let client = ApiClient(url) { $0.sender = sender }.log(to: .silent).auth(.bearer("secret"))
        try await client.get("a").send()
        try await client.get(url).send()
        try await client.get("http://BÜCHER.example:80/b").send()
        #expect(
            urls == [
                "http://xn--bcher-kva.example/x/a", "http://xn--bcher-kva.example/x",
                "http://xn--bcher-kva.example:80/b",
            ])
        #expect(sender.requests.map { $0.headers["Authorization"] } == Array(repeating: "Bearer secret", count: 3))
    }

    @Test func anInvalidBaseUrlFailsEachRequest() async throws {
        for text in ["", "api.example.com", "ftp://a.example", "http://"] {
            let error = await thrown(RequestBuildingError.self) {
                try await ApiClient(text) { $0.sender = sender }.log(to: .silent).get("users").send()
            }
            #expect(error?.code == .invalidUrl, "\(text)")
        }
        #expect(sender.requests.isEmpty)
    }

    @Test func verbsAreTheMethods() async throws {
        try await api.get("a").send()
        try await api.head("a").send()
        try await api.post("a").send()
        try await api.put("a").send()
        try await api.patch("a").send()
        try await api.delete("a").send()
        try await api.request("PURGE", "a").send()
        try await api.post(Route.users).send()
        #expect(
            sender.requests.map(\.method.rawValue) == [
                "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PURGE", "POST",
            ])
    }

    // MARK: - Settings

    @Test func settingsOfARequestMergeOrReplaceAndLeaveTheClientAlone() async throws {
        let request = api.get("a").header("X-Request", "1").header("x-client", "b").query(["lang": "de", "page": 2])
            .timeout(.seconds(3)).stallTimeout(.seconds(2))
        try await request.send()
        try await api.get("a").send()
        let (own, plain) = (sender.requests[0], sender.requests[1])
        #expect(own.headers.values(of: "X-Client") == ["b"])
        #expect(own.headers["X-Request"] == "1")
        #expect(own.url.query == "lang=de&page=2")
        #expect((own.options.timeout, own.options.stallTimeout) == (.seconds(3), .seconds(2)))
        #expect(plain.headers.fields.count == 1)
        #expect(plain.url.query == "lang=en")
        #expect(plain.options.timeout == nil)
        try await api.get("a").header("X-Client", nil).query("lang", nil).send()
        #expect(sender.requests[2].headers.fields.isEmpty)
        #expect(sender.requests[2].url.query == nil)
    }

    @Test func queriesOfAllKindsAreWritten() async throws {
        enum Order: String, QueryConvertible { case newest }
        struct Filter: Encodable {
            let since: Date
            let tags: [String]
            let none: Int?
        }
        let date = Date(timeIntervalSince1970: 0)
        let query: UrlQuery = [
            "b": true, "d": 1.5, "date": date, "e": Order.newest, "n": nil, "o": Int?.none, "s": ["x", "y"],
            "set": Set([2, 1]), "u": UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), "m": ["k": 1],
        ]
        try await api.get("a").query("lang", nil).query(query).send()
        #expect(
            sender.requests[0].url.query == """
                b=1&d=1.5&date=1970-01-01T00%3A00%3A00Z&e=newest&m%5Bk%5D=1&s%5B%5D=x&s%5B%5D=y&set%5B%5D=1&set%5B%5D=2\
                &u=00000000-0000-0000-0000-000000000001
                """)
        try await api.get("a").query("lang", nil).query(Filter(since: date, tags: ["t"], none: nil)).send()
        #expect(sender.requests[1].url.query == "since=1970-01-01T00%3A00%3A00Z&tags%5B%5D=t")
        let error = await thrown(RequestBuildingError.self) { try await api.get("a").query([1, 2]).send() }
        #expect(error?.code == .unencodableParameters)
        #expect("\(query)" == "query of [b, d, date, e, m, s, set, u]")
    }

    @Test func codersOfAClientServeItsPlainTypes() async throws {
        struct Account: Codable, Equatable {
            let firstName: String
            let born: Date
        }
        let account = Account(firstName: "Ada", born: Date(timeIntervalSince1970: 7))
        let sender = ScriptedRequestSender { $0.respond(body: $0.request.body.inMemory ?? Data()) }
        let api = api.sender(sender).setting {
            $0.json.keys = .snakeCase
            $0.json.dates = .secondsSince1970
        }
        #expect(try await api.post("a").body(account).send() == account)
        #expect(sender.requests[0].body.inMemory == Data(#"{"first_name":"Ada","born":7}"#.utf8))
    }

    @Test func aLiteralOfMixedValuesIsABody() async throws {
        let name = "Ada"
        let team: String? = nil
        let api = api.setting {
            $0.json.keys = .snakeCase
            $0.json.dates = .iso8601
        }
        try await api.post("a").body(["a": 1, "b": "x"]).send()
        try await api.post("a").body([
            "firstName": name, "born": Date(timeIntervalSince1970: 0), "team": team, "none": nil, "tags": ["a"],
            "filter": UserFilter(minAge: 7), "rest": ["n": nil, "x": 1.5] as Json, "on": true,
        ]).send()
        try await api.post("a").body(["user": ["firstName": "Ada", "age": 36, "tags": [1, "a", nil]]]).send()
        try await api.post("a").body([1, "a"]).send()
        try await api.post("a").body([name: 1, "Ada": "x"]).send()
        let bodies = try sender.requests.map { try Json(parsing: $0.body.inMemory ?? Data()) }
        #expect(
            bodies == [
                ["a": 1, "b": "x"],
                [
                    "firstName": "Ada", "born": "1970-01-01T00:00:00Z", "team": nil, "none": nil, "tags": ["a"],
                    "filter": ["min_age": 7], "rest": ["n": nil, "x": 1.5], "on": true,
                ],
                ["user": ["firstName": "Ada", "age": 36, "tags": [1, "a", nil]]],
                [1, "a"],
                ["Ada": "x"],
            ])
        #expect(sender.requests.allSatisfy { $0.headers["Content-Type"] == "application/json" })
    }

    @Test func theMembersOfALiteralKeepTheirOrder() async throws {
        let name = "Ada"
        for _ in 1...3 {
            try await api.post("a").body(["z": name, "b": 2, "y": nil, "b": [3], "a": ["d": 1, "c": 2]]).send()
        }
        try await api.post("a").body(["z": name, "y": 1, "x": nil, "w": 1.5, "a": [1]]).send()
        let bodies = sender.requests.map { String(decoding: $0.body.inMemory ?? Data(), as: UTF8.self) }
        #expect(bodies[0].hasPrefix(#"{"z":"Ada","b":[3],"y":null,"a":{"#))
        #expect(bodies[3] == #"{"z":"Ada","y":1,"x":null,"w":1.5,"a":[1]}"#)
    }

    private struct UserFilter: Encodable {
        let minAge: Int
    }

    @Test func codersOfAClientServeItsQueriesAndForms() async throws {
        struct Filter: Encodable {
            let firstName: String
            let bornAfter: Date
            let onlyTags: [String: Bool]
        }
        let filter = Filter(firstName: "Ada", bornAfter: Date(timeIntervalSince1970: 0), onlyTags: ["aB": true])
        let api = api.query("lang", nil).setting {
            $0.json.keys = .snakeCase
            $0.json.dates = .secondsSince1970
        }
        let text = "born_after=1970-01-01T00%3A00%3A00Z&first_name=Ada&only_tags%5BaB%5D=1"
        try await api.get("a").query(filter).send()
        try await api.query(filter).get("a").send()
        #expect(sender.requests.map(\.url.query) == [text, text])
        try await api.post("a").form(filter).send()
        #expect(sender.requests[2].body.inMemory == Data(text.utf8))
        var coders = JsonCoders()
        coders.encoder.keyEncodingStrategy = .custom { Upper($0.last?.stringValue ?? "") }
        try await api.post("a").json(coders).form(filter).send()
        #expect(
            sender.requests[3].body.inMemory
                == Data("BORNAFTER=1970-01-01T00%3A00%3A00Z&FIRSTNAME=Ada&ONLYTAGS%5BaB%5D=1".utf8))
    }

    private struct Upper: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ text: String) { stringValue = text.uppercased() }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    // MARK: - Time

    @Test(.timeLimit(.minutes(1))) func aDeadlineEndsARequestWithAllItsAttempts() async throws {
        let held = ScriptedRequestSender()
        let task = Task { [api] in try await api.sender(held).deadline(.milliseconds(50)).get("slow").send() }
        let exchange = try await held.nextRequest()
        let error = await thrown(TechnicalError.self) { _ = try await task.value }
        #expect(error?.cause.code == .deadlinePassed)
        #expect(error?.isTimeout == true)
        #expect("\(String(describing: error))".contains("GET https://api.example.com/v1/slow"))
        #expect(exchange.isCanceled)
        let quick = try await api.deadline(.seconds(60)).get("quick").send()
        #expect(quick.status == 200)
    }

    @Test(.timeLimit(.minutes(1))) func noAttemptBeginsPastTheDeadline() async throws {
        let busy = ScriptedRequestSender { $0.respond(status: 503) }
        let api = api.sender(busy).deadline(.seconds(5)).retry(.constant(.seconds(10)))
        let error = await thrown(HttpError.self) { try await api.get("a").send() }
        #expect(error?.status == 503)
        #expect(busy.requests.count == 1)
    }

    @Test(.timeLimit(.minutes(1))) func theErrorOfADeadlineHasTheNumberOfTheAttempt() async throws {
        let (sender, clock) = (ScriptedRequestSender(), TestClock())
        let api = api.sender(sender).deadline(.seconds(5)).retry(.constant(.zero)).setting { $0.clock = clock }
        let task = Task { try await api.get("slow").send() }
        try await sender.nextRequest().respond(status: 503)
        let held = try await sender.nextRequest()
        await eventually("the deadline runs") { !clock.delays.isEmpty }
        clock.advance(by: .seconds(5))
        let error = await thrown(TechnicalError.self) { try await task.value }
        #expect(held.isCanceled && error?.cause.attempt == 2 && error?.cause.wasProcessed == .unknown)
        let text = "\(try #require(error))"
        #expect(text.contains("/slow?lang=en (attempt 2) failed: it took longer than 5.0 seconds"))
    }

    @Test(.timeLimit(.minutes(1))) func aCanceledRequestIsCanceledAtTheSender() async throws {
        let held = ScriptedRequestSender()
        let task = Task { [api] in try await api.sender(held).deadline(.seconds(60)).get("slow").send() }
        let exchange = try await held.nextRequest()
        task.cancel()
        await exchange.ended()
        #expect(exchange.isCanceled)
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func nothingIsSentPastTheDeadline() async throws {
        let sender = ScriptedRequestSender { $0.respond() }
        for deadline in [Duration.zero, .seconds(-1)] {
            let error = await thrown(TechnicalError.self) {
                try await api.sender(sender).deadline(deadline).get("a").send()
            }
            #expect(error?.cause.code == .deadlinePassed && error?.cause.wasProcessed == .no)
        }
        #expect(sender.requests.isEmpty)
    }

    @Test func theErrorOfADeadlineMasksWhatTheClientMasks() async throws {
        let api = api.log(redaction: .standard.adding(keys: ["iban"])).deadline(.zero)
        let error = await thrown(TechnicalError.self) { try await api.get("a?iban=DE12").send() }
        let text = "\(try #require(error))"
        #expect(text.contains("iban=***") && !text.contains("DE12"))
    }

    @Test func theSettingsOfACustomBuilderHold() async throws {
        let sender = ScriptedRequestSender { $0.respond() }
        let api = ApiClient(
            "https://api.example.com", builder: { UrlChainsBuilder().set(boolEncodingStrategy: .asBool) }
        ) {
            $0.sender = sender
            $0.log.sink = .silent
        }
        try await api.get("x").query(["on": true]).send()
        #expect(sender.requests.map(\.url.query) == ["on=true"])
    }
}
