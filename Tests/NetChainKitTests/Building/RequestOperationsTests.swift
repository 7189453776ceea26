import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct RequestOperationsTests {
    private let sender = ScriptedRequestSender(json: #"{"id": 1, "name": "Ann"}"#)

    private func builder(_ method: HttpMethod = .get, _ route: Route = .users) -> UrlChainsBuilder<Route> {
        UrlChainsBuilder<Route>().quiet().sender(sender).route(method, route)
    }

    /// The request that the builder's chain sends.
    private func sent(by builder: UrlChainsBuilder<Route>, _ input: User? = nil) async throws -> HttpRequest {
        if let input {
            let chain: Node<User, User> = builder.build()
            _ = try await chain.execute(input)
        } else {
            let chain: Node<Void, User> = builder.build()
            _ = try await chain.execute()
        }
        return try #require(sender.requests.last)
    }

    @Test func withoutOperationsAChainSendsTheRouteAndNothingElse() async throws {
        let request = try await sent(by: builder())
        #expect(request.method == .get)
        #expect(request.url.absoluteString == "http://api.example.com/users")
        #expect(request.headers.fields.isEmpty)
        #expect(request.body.isEmpty)
        #expect(request.attempt == 1)
        #expect(request.options.timeout == nil)
        #expect(request.options.onProgress == nil)
    }

    @Test func theDefaultEncodingIsJson() async throws {
        let request = try await sent(by: builder(.post), User(id: 1, name: "Ann"))
        #expect(request.headers == ["Content-Type": "application/json"])
        #expect(try Json(parsing: #require(request.body.inMemory)) == ["id": 1, "name": "Ann"])
    }

    @Test func theNamesOfALogsRedactionHoldForItsRequestsToo() async throws {
        let redaction = Redaction.standard.adding(headers: ["X-Internal"], keys: ["iban"])
        let route = Route.text("http://api.example.com/users?iban=geheim")
        for chosen in [redaction, .none] {
            let request = try await sent(
                by: builder(.get, route).set(metadata: ["X-Internal": "geheim"]).log(redaction: chosen))
            let error = HttpError(HttpResponse(request: request, status: 500))
            #expect("\(error)".contains("geheim") == chosen.isOff)
            #expect(request.curlCommand().contains("geheim") == chosen.isOff)
            #expect(!request.curlCommand(redaction: redaction).contains("geheim"))
        }
    }

    @Test func aBuilderAndItsSettingsShowNoSecrets() throws {
        let metadata = ["Authorization": "geheim"]
        let config = UrlChainConfigModel(
            method: .get, route: Route.text("http://a.example/"), headers: HttpHeaders(metadata))
        let service = UrlServiceChainBuilder()
        let api = ApiClient("https://bob:geheim@api.example.com") {
            $0.headers = HttpHeaders(metadata)
            $0.auth = .basic(user: "bob", password: "geheim")
        }
        let request = api.get("a?token=geheim").header("X-Api-Key", "geheim").timeout(.seconds(1))
        let all: [Any] = [
            config, builder(.get).set(metadata: metadata).inject(headers: metadata), service, api, api.settings,
            request,
            request.chain(as: User.self),
        ]
        #expect("\(request)" == "GET https://***@api.example.com/a?token=***")
        for value in all {
            var text = "\(value) \(String(reflecting: value)) \(Optional(value) as Any)"
            dump(value, to: &text)
            #expect(!text.contains("geheim"))
        }
    }

    @Test(arguments: [HttpMethod.get, .head])
    func methodsWithoutABodyCarryParametersInTheQuery(method: HttpMethod) async throws {
        for encoding in [ParametersEncoding.json, .formUrl, .urlQuery] {
            let chain: Node<User, Void> = builder(method).encode(as: encoding).build()
            try await chain.execute(User(id: 1, name: "Ann Li"))
            let request = try #require(sender.requests.last)
            #expect(request.url.absoluteString == "http://api.example.com/users?id=1&name=Ann%20Li")
            #expect(request.body.isEmpty)
            #expect(request.headers["Content-Type"] == nil)
        }
    }

    @Test func parametersAreEncodedAsAsked() async throws {
        let user = User(id: 1, name: "Ann & Li")
        let form = try await sent(by: builder(.post).encode(as: .formUrl), user)
        #expect(form.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(form.body.inMemory == Data("id=1&name=Ann%20%26%20Li".utf8))
        let query = try await sent(by: builder(.post).encode(as: .urlQuery), user)
        #expect(query.url.query(percentEncoded: true) == "id=1&name=Ann%20%26%20Li")
        #expect(query.body.isEmpty)
        let own = ParametersEncoding("csv") { json, request in
            request.body = .data(Data("id;\(json["id"]?.int ?? 0)".utf8))
            request.headers["Content-Type"] = "text/csv"
        }
        let csv = try await sent(by: builder(.post).encode(as: own), user)
        #expect(csv.headers["Content-Type"] == "text/csv")
        #expect(csv.body.inMemory == Data("id;1".utf8))
        let deleted = try await sent(by: builder(.delete), user)
        #expect(deleted.headers["Content-Type"] == "application/json")
        #expect(deleted.body.inMemory == Data(#"{"id":1,"name":"Ann & Li"}"#.utf8))
        let getBody = try await sent(by: builder(.get).encode(as: .jsonBody), user)
        #expect(getBody.headers["Content-Type"] == "application/json")
    }

    @Test func aQueryFollowsTheRoutesOwn() async throws {
        let route = Route.text("http://api.example.com/users?hd=1#top")
        let request = try await sent(
            by: builder(.get, route).set(query: ["page": 0, "all": true, "none": Int?.none as Any]))
        #expect(request.url.absoluteString == "http://api.example.com/users?hd=1&all=1&page=0#top")
    }

    @Test func theStrategiesWriteTheQuery() async throws {
        let query: [String: Any] = ["list": ["a", 1, true] as [Any], "map": ["x": ["y": false]], "on": true]
        func written(_ change: (UrlChainsBuilder<Route>) -> UrlChainsBuilder<Route>) async throws -> String {
            let builder = change(builder().set(query: query))
            let request = try await sent(by: builder)
            return (request.url.query(percentEncoded: true) ?? "").replacing("%5B", with: "[").replacing(
                "%5D", with: "]")
        }
        #expect(try await written { $0 } == "list[]=a&list[]=1&list[]=1&map[x][y]=0&on=1")
        #expect(
            try await written { $0.set(boolEncodingStrategy: .asBool) }
                == "list[]=a&list[]=1&list[]=true&map[x][y]=false&on=true")
        #expect(
            try await written { $0.set(arrayEncodingStrategy: .noBrackets) }
                == "list=a&list=1&list=1&map[x][y]=0&on=1")
        #expect(
            try await written { $0.set(boolEncodingStrategy: .asBool).set(boolEncodingStrategy: .asInt) }
                == "list[]=a&list[]=1&list[]=1&map[x][y]=0&on=1")
        #expect(
            try await written {
                $0.set(boolEncodingStrategy: YesNo()).set(arrayEncodingStrategy: Numbered())
                    .set(dictEncodingStrategy: Dotted())
            } == "list.each=a&list.each=1&list.each=yes&map.x.y=no&on=yes")
        #expect(
            try await written {
                $0.set(dictEncodingStrategy: Dotted())
                    .set(dictEncodingStrategy: URLQueryDictionaryKeyEncodingDefaultStrategy())
                    .set(arrayEncodingStrategy: .noBrackets).set(arrayEncodingStrategy: .brackets)
            } == "list[]=a&list[]=1&list[]=1&map[x][y]=0&on=1")
    }

    @Test(arguments: [
        (HttpMethod.get, ParametersEncoding.json), (.head, .json), (.get, .formUrl), (.post, .formUrl),
        (.post, .urlQuery),
    ])
    func theStrategiesWriteTheInputOfAChain(method: HttpMethod, encoding: ParametersEncoding) async throws {
        struct Search: Encodable {
            let on = true
            let tags = ["a", "b"]
            let page = ["size": 5]
        }
        let chain: Node<Search, Void> = builder(method).encode(as: encoding)
            .set(boolEncodingStrategy: .asBool).set(arrayEncodingStrategy: .noBrackets)
            .set(dictEncodingStrategy: Dotted()).build()
        try await chain.execute(Search())
        let request = try #require(sender.requests.last)
        let form = request.body.inMemory.map { String(decoding: $0, as: UTF8.self) }
        #expect((request.url.query ?? form) == "on=true&page.size=5&tags=a&tags=b")
    }

    @Test func anEncodingsOwnEncoderWinsOverTheBuilders() async throws {
        let own = QueryEncoder(boolStrategy: YesNo())
        for encoding in [ParametersEncoding.formUrl(own), .urlQuery(own)] {
            let chain: Node<[String: Bool], Void> = builder().encode(as: encoding)
                .set(boolEncodingStrategy: .asBool).build()
            try await chain.execute(["on": true])
            #expect(sender.requests.last?.url.query == "on=yes")
        }
    }

    private struct YesNo: URLQueryBoolEncodingStrategy {
        func encode(value: Bool) -> String { value ? "yes" : "no" }
    }

    private struct Numbered: URLQueryArrayKeyEncodingStrategy {
        func encode(value: String) -> String { "\(value).each" }
    }

    private struct Dotted: URLQueryDictionaryKeyEncodingStrategy {
        func encode(queryItemName: String, dictionaryKey: String) -> String { "\(queryItemName).\(dictionaryKey)" }
    }

    @Test func theLastOfAnOperationCounts() async throws {
        let builder = builder()
            .set(metadata: ["X-A": "1", "X-B": "1"]).set(metadata: ["X-B": "2"])
            .set(query: ["a": 1]).set(query: ["b": 2])
            .encode(as: .formUrl).encode(as: .json)
            .route(.put, .user(1)).route(.post, .user(2))
        let request = try await sent(by: builder, User(id: 1, name: "Ann"))
        #expect(request.method == .post)
        #expect(request.url.absoluteString == "http://api.example.com/users/2?b=2")
        #expect(request.headers == ["X-B": "2", "Content-Type": "application/json"])
    }

    @Test func metadataOfTheContentTypeStay() async throws {
        let builder = builder(.post).set(metadata: ["content-type": "application/vnd.api+json"])
        let request = try await sent(by: builder, User(id: 1, name: "Ann"))
        #expect(request.headers == ["content-type": "application/vnd.api+json"])
    }

    @Test func aMethodOfOnesOwnIsSent() async throws {
        #expect(try await sent(by: builder("PURGE")).method.rawValue == "PURGE")
    }

    @Test func aBuilderServesForSeveralChains() async throws {
        let builder = builder().set(query: ["a": 1])
        let first: Node<Void, User> = builder.build()
        _ = builder.route(.post, .user(2)).set(query: [:]).set(metadata: ["X-A": "1"]).log(exclude: ["a"])
        let second: Node<User, Void> = builder.build()
        let third = builder.set(metadata: [:]).loadData()
        _ = try await third.execute()
        try await second.execute(User(id: 1, name: "Ann"))
        _ = try await first.execute()
        #expect(
            sender.requests.map { "\($0.method) \($0.url.path)?\($0.url.query ?? "") \($0.headers.fields.count)" } == [
                "POST /users/2? 0", "POST /users/2? 2", "GET /users?a=1 0",
            ])
    }

    @Test func aChainServesForSeveralRequests() async throws {
        let chain: Node<User, User> = builder(.post).build()
        for id in 1...3 { _ = try await chain.execute(User(id: id, name: "Ann")) }
        let ids = try sender.requests.map { try Json(parsing: #require($0.body.inMemory))["id"] }
        #expect(ids == [1, 2, 3])
    }
}
