import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The forms that give an answer's status and headers beside what is made of its body, over the real sender.
struct ApiResponseTests {
    private let server: LoopbackServer
    private let riga = LoopbackResponse.json(#"{"townName": "Riga"}"#, status: 201).header("ETag", "\"1\"")

    init() throws {
        server = try LoopbackServer()
    }

    private func builder(_ method: HttpMethod = .get, _ path: String = "/") -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>().route(method, server.url(path)).quiet()
    }

    /// Whether these are the status, the headers and the URL of `riga`.
    private func expectHead<Model>(_ response: ApiResponse<Model>, location: SourceLocation = #_sourceLocation) {
        #expect(response.status == 201, sourceLocation: location)
        #expect(response.headers["etag"] == "\"1\"", sourceLocation: location)
        #expect(response.url == server.url("/"), sourceLocation: location)
        #expect(response.metrics.total > .zero, sourceLocation: location)
    }

    @Test(arguments: [
        ("/v2/u?state=1", "https://a.example/v2/u?state=1"), ("u", "https://a.example/v2/u"),
        ("https://b.example/x%2F", "https://b.example/x%2F"), (nil, nil), ("http://[", nil),
    ])
    func theLocationIsAWholeUrl(header: String?, url: String?) throws {
        var headers = HttpHeaders()
        headers["Location"] = header
        let base = try #require(URL(string: "https://a.example/v2/blobs"))
        let response = ApiResponse(value: (), status: 202, headers: headers, url: base)
        #expect(response.location?.absoluteString == url)
    }

    @Test(arguments: [
        ("<?page=2>; rel=next", "https://a.example/v2/list?page=2"), ("<>; rel=next", "https://a.example/v2/list?q"),
        ("<#x>; rel=next", "https://a.example/v2/list?q#x"),
        ("<//b.example/>; rel=\"prev NEXT\"", "https://b.example/"),
        ("</a%2Fb|c>; rel=next", "https://a.example/a%2Fb%7Cc"), ("</x>; rel=prev", nil), (nil, nil),
        ("<http://[>; rel=next, </x>; rel=next", nil), ("<a\u{1}b>; rel=next", nil),
        ("</x>; rel=next; anchor=\"/other\", </y>; rel=next", "https://a.example/y"),
        ("</x>; rel=next; anchor=\"#part\"", nil), ("</x>; rel=next; anchor=\"http://[\"", nil),
        ("</x>; rel=next; anchor=\"\"", "https://a.example/x"),
        ("</x>; rel=next; anchor=\"list?q\"", "https://a.example/x"),
    ])
    func aLinkIsAWholeUrlOfThisResource(header: String?, url: String?) throws {
        var headers = HttpHeaders()
        headers["Link"] = header
        let base = try #require(URL(string: "https://a.example/v2/list?q#fragment"))
        let response = ApiResponse(value: (), headers: headers, url: base)
        #expect(response.link("Next")?.absoluteString == url)
    }

    /// The server gets the bytes that it has sent, as after a redirect.
    @Test(arguments: [([0xE9], "%E9"), ([0xC3, 0xA9], "%C3%A9")] as [([UInt8], String)])
    func aReferenceBeyondAsciiKeepsItsBytes(bytes: [UInt8], escaped: String) throws {
        let location = Array("Location: /caf".utf8) + bytes + Array("\r\n".utf8)
        let link = Array("Link: </caf".utf8) + bytes + Array(">; rel=next; title=t".utf8) + bytes
        let anchor = Array("; anchor=\"/b".utf8) + bytes + Array("\"\r\n".utf8)
        let headers = HttpHeaders(block: HeaderBlock(bytes: location + link + anchor))
        let base = try #require(URL(string: "https://a.example/b\(escaped)"))
        let response = ApiResponse(value: (), headers: headers, url: base)
        #expect(response.location?.absoluteString == "https://a.example/caf\(escaped)")
        #expect(response.link("next")?.absoluteString == "https://a.example/caf\(escaped)")
        #expect(response.headers.links.first?["title"] == "té")
    }

    // MARK: - Forms

    @Test func aModelComesBackBesideItsAnswer() async throws {
        server.on(.any, "/", respond: riga)
        let both: Node<Town, ApiResponse<Town>> = builder(.post).build()
        let created = try await both.execute(Town(name: "Oslo"))
        #expect(created.value == Town(name: "Riga"))
        expectHead(created)
        #expect(server.requests.last?.text == #"{"townName":"Oslo"}"#)
        let got: ApiResponse<Town> = try await builder().build().execute()
        #expect(got.value == Town(name: "Riga"))
        expectHead(got)
        #expect(server.requests.last?.bodyLength == 0)
        let json: ApiResponse<Json> = try await builder().build().execute()
        #expect(json.value == ["townName": "Riga"])
        expectHead(json)
    }

    @Test func aFormAndAnUploadHaveItToo() async throws {
        server.on(.any, "/", respond: riga)
        let multipart: Node<MultipartModel<[String: Data]>, ApiResponse<Town>> = builder(.post).build()
        let sent = try await multipart.execute(MultipartModel(payloadModel: ["title": Data("Dusk".utf8)]))
        #expect(sent.value == Town(name: "Riga"))
        expectHead(sent)
        #expect(try server.requests.last?.multipartParts.map(\.text) == ["Dusk"])
        let fields: Node<[String: Json], ApiResponse<Town>> = builder(.post).encode(as: .formUrl).build()
        expectHead(try await fields.execute(["a": 1]))
        #expect(server.requests.last?.text == "a=1")
        let upload: Node<RequestBody, ApiResponse<Town>> = builder(.put).set(metadata: ["Content-Type": "image/png"])
            .build()
        let uploaded = try await upload.execute(.data(Data([1, 2])))
        #expect(uploaded.value == Town(name: "Riga"))
        expectHead(uploaded)
        #expect(server.requests.last?.body == [1, 2])
        #expect(server.requests.last?.headers["Content-Type"] == "image/png")
    }

    @Test func bytesComeBesideTheirAnswer() async throws {
        server.on(.any, "/", respond: riga)
        let bytes = Data(#"{"townName": "Riga"}"#.utf8)
        let loaded: ApiResponse<Data> = try await builder().build().execute()
        #expect(loaded.value == bytes)
        expectHead(loaded)
        let withInput: Node<Town, ApiResponse<Data>> = builder(.post).build()
        let answered = try await withInput.execute(Town(name: "Oslo"))
        #expect(answered.value == bytes)
        expectHead(answered)
    }

    // The default sender on Apple platforms has answers in memory only.
    #if os(Linux)
    @Test func aFileAndAStreamComeBesideTheirAnswer() async throws {
        let folder = try TestFolder()
        let file = folder.place()
        server.on(.any, "/", respond: riga)
        let bytes = Data(#"{"townName": "Riga"}"#.utf8)
        let downloaded: ApiResponse<URL> = try await builder().download(to: file).execute()
        #expect(downloaded.value == file)
        #expect(try Data(contentsOf: file) == bytes)
        expectHead(downloaded)
        let asked: Node<Town, ApiResponse<URL>> = builder(.post).download(to: file)
        expectHead(try await asked.execute(Town(name: "Oslo")))
        let streamed: ApiResponse<ByteStream> = try await builder().stream().execute()
        #expect(streamed.status == 201)
        #expect(streamed.headers["ETag"] == "\"1\"")
        var received = Data()
        for try await chunk in streamed.value { received.append(chunk) }
        #expect(received == bytes)
        let sent: Node<Town, ApiResponse<ByteStream>> = builder(.post).stream()
        #expect(try await sent.execute(Town(name: "Oslo")).headers["ETag"] == "\"1\"")
    }
    #endif

    @Test func withoutATypeTheFormsAreThePlainOnes() async throws {
        server.on(.any, "/", respond: riga)
        let bytes = try await builder().loadData().execute()
        #expect(type(of: bytes) == Data.self)
        try await builder().build(Void.self).execute()
        try await builder(.post).build(Void.self).execute(Town(name: "Oslo"))
    }

    // MARK: - Statuses

    @Test(arguments: [LoopbackResponse.status(204), .status(200), .json("null"), .json("{}")])
    func anEmptyAnswerIsAnEmptyModelWithItsHead(response: LoopbackResponse) async throws {
        server.on(.any, "/", respond: response.header("X-Total", "0"))
        let list: ApiResponse<[Town]> = try await builder().build().execute()
        #expect(list.value.isEmpty)
        #expect(list.headers["X-Total"] == "0")
        let one: ApiResponse<Town?> = try await builder().build().execute()
        #expect(one.value == nil)
        #expect(one.headers["X-Total"] == "0")
    }

    @Test func anUnchangedAnswerIsKnownByItsStatus() async throws {
        server.on(.get, "/") { request in
            let response =
                request.headers["If-None-Match"] == "\"1\""
                ? LoopbackResponse.status(304) : .json(#"{"townName": "Riga"}"#)
            return response.header("ETag", "\"1\"")
        }
        let builder = builder().acceptedStatuses(.successful(and: 304))
        let first: ApiResponse<Town?> = try await builder.build().execute()
        #expect(first.status == 200)
        #expect(first.value == Town(name: "Riga"))
        let tag = try #require(first.headers["ETag"])
        let second: ApiResponse<Town?> = try await builder.set(metadata: ["If-None-Match": tag]).build().execute()
        #expect(second.status == 304)
        #expect(second.value == nil)
        #expect(second.headers["ETag"] == tag)
    }

    @Test func aRefusalIsTheErrorThatItIsInAllChains() async throws {
        server.on(.any, "/", respond: .json(#"{"a": 1}"#, status: 429).header("Retry-After", "7"))
        let error = await thrown(HttpError.self) {
            try await builder().build().execute() as ApiResponse<Json>
        }
        #expect(error?.status == 429)
        #expect(error?.response.headers["Retry-After"] == "7")
    }

    @Test func anotherModelAndNoJsonAreTheErrorsThatTheyAreInAllChains() async throws {
        server.on(.get, "/model", respond: .json(#"{"id": 1}"#))
        server.on(.get, "/text", respond: .text("<html>"))
        let error = await thrown(DecodingError.self) {
            try await builder(.get, "/model").build().execute() as ApiResponse<User>
        }
        guard case .keyNotFound(let key, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.stringValue == "name")
        #expect(context.debugDescription.hasSuffix(" In the response to GET \(server.url("/model"))"))
        await #expect(throws: ResponseParsingError.self) {
            try await builder(.get, "/text").build().execute() as ApiResponse<User>
        }
    }

    @Test func whatAModelThrowsItselfIsUnchangedInAllForms() async throws {
        /// A model that refuses its entry as if it were wrong JSON.
        struct Refusing: DTODecodable {
            static func from(dto: TownEntry) throws -> Refusing {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no town of ours"))
            }
        }
        server.on(.any, "/", respond: riga)
        let plain: Node<Void, Refusing> = builder().build()
        let beside: Node<Void, ApiResponse<Refusing>> = builder().build()
        let upload: Node<RequestBody, Refusing> = builder(.put).build()
        let body = RequestBody.data(Data([1]))
        let errors = [
            await thrown(DecodingError.self) { try await plain.execute() },
            await thrown(DecodingError.self) { try await beside.execute() },
            await thrown(DecodingError.self) { try await upload.execute(body) },
        ]
        for error in errors {
            guard case .dataCorrupted(let context) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(context.debugDescription == "no town of ours")
        }
    }

    // MARK: - Which answer

    @Test func afterARedirectItIsTheLastAnswerAndItsUrl() async throws {
        server.on(.get, "/old", respond: .redirect(to: "/middle", status: 301).header("X-Hop", "1"))
        server.on(.get, "/middle", respond: .redirect(to: "/new?page=2", status: 302).header("X-Hop", "2"))
        server.on(.get, "/new", respond: .json(#"{"townName": "Riga"}"#).header("X-Hop", "3"))
        let page: ApiResponse<Town> = try await builder(.get, "/old").build().execute()
        #expect(page.value == Town(name: "Riga"))
        #expect(page.status == 200)
        #expect(page.headers.values(of: "X-Hop") == ["3"])
        #expect(page.url.absoluteString == server.url("/new").absoluteString + "?page=2")
        #expect(page.metrics.redirects == 2)
    }

    @Test func afterARetryItIsTheLastAnswer() async throws {
        server.on(
            .get, "/",
            inOrder: [
                .text("busy", status: 503).header("X-Try", "1"), .text("no", status: 502).header("X-Try", "2"),
                .json("[]").header("X-Try", "3"),
            ])
        let page: ApiResponse<[Town]> = try await builder().retry(.constant(.zero)).build().execute()
        #expect(page.status == 200)
        #expect(page.headers.values(of: "X-Try") == ["3"])
    }

    @Test func afterARefreshItIsTheReplaysAnswerAndNotTheRefreshs() async throws {
        server.on(.get, "/", inOrder: [.text("no", status: 401).header("X-From", "refusal"), riga])
        server.on(.post, "/token", respond: .json("{}", status: 202).header("X-From", "refresh"))
        let refresh: Node<Void, ApiResponse<Json>> = builder(.post, "/token").build()
        let refresher = TokenRefresherNode {
            let answer = try await refresh.execute()
            #expect(answer.status == 202)
            #expect(answer.headers["X-From"] == "refresh")
        }
        let page: ApiResponse<Town> = try await builder().accessSafe(refresher).build().execute()
        expectHead(page)
        #expect(page.headers["X-From"] == nil)
    }

    @Test(.timeLimit(.minutes(1))) func aThousandRunsOfOneChainHaveEachTheirOwn() async throws {
        // One in three is refused first, so that answers of other runs and of earlier attempts are about.
        server.on(.post, "/") { request in
            guard let user = try? Json(parsing: request.body).decode(User.self) else { return .status(400) }
            let isFirst = request.headers["X-Number"].flatMap { Int($0) } == 1
            if user.id.isMultiple(of: 3), isFirst { return .text("busy", status: 503).header("X-Id", "another's") }
            return .json(request.text, status: 200 + user.id % 3).header("X-Id", "\(user.id)")
        }
        let chain: Node<User, ApiResponse<User>> = UrlChainsBuilder<URL>()
            .route(.post, server.url("/")).quiet().set(metadata: ["Idempotency-Key": "k"]).retry(.constant(.zero))
            .insert(at: .attempt) { next in
                ClosureNode(name: "Numbering") { request in
                    var request = request
                    request.headers["X-Number"] = "\(request.attempt)"
                    return next.process(request)
                }
            }
            .build()
        let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
            for id in 0..<1000 {
                group.addTask {
                    let name = String(repeating: "x", count: id.isMultiple(of: 10) ? 20_000 : 3)
                    let answer = try await chain.execute(User(id: id, name: name))
                    return answer.value != User(id: id, name: name) || answer.status != 200 + id % 3
                        || answer.headers.values(of: "X-Id") != ["\(id)"]
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(wrong == 0)
        #expect(server.counts.requests == 1334)
    }

    // MARK: - Nodes between

    /// Does something to each `Json` on its way up, above the whole service chain.
    private final class Changing: UrlChainsBuilder<URL> {
        let change: @Sendable (Json) throws -> Json

        init(_ change: @escaping @Sendable (Json) throws -> Json) {
            self.change = change
        }

        override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
            let next = super.requestBuildingChain(with: config)
            return ClosureNode(name: "Changing") { [change] in next.process($0).map(change) }
        }
    }

    @Test func aNodeSeesTheJsonAndMayTakeAPartOfIt() async throws {
        struct Missing: Error {}
        server.on(
            .get, "/", respond: .json(#"{"data": [{"townName": "Riga"}], "meta": null}"#).header("X-Total", "9"))
        let builder = Changing { json in
            guard let data = json["data"] else { throw Missing() }
            return data
        }
        let page: ApiResponse<[Town]> = try await builder.route(.get, server.url("/")).quiet().build().execute()
        #expect(page.value == [Town(name: "Riga")])
        #expect(page.headers["X-Total"] == "9")
        server.on(.get, "/", respond: .status(204))
        await #expect(throws: Missing.self) { try await builder.build().execute() as ApiResponse<[Town]> }
    }

    @Test func aJsonOfANodesOwnIsAResponseWithoutHeaders() async throws {
        let folder = try TestFolder()
        server.on(.get, "/", respond: riga)
        let builder = Changing { _ in ["townName": "Oslo"] }.route(.get, server.url("/")).quiet()
        #expect(try await builder.build().execute() == Town(name: "Oslo"))
        let response: ApiResponse<Town> = try await builder.build().execute()
        #expect(response.value == Town(name: "Oslo"))
        #expect(response.status == 200)
        #expect(response.headers.fields.isEmpty)
        #expect(response.url == server.url("/"))
        let error = await thrown(ResponseBodyError.self) {
            _ = try await builder.download(to: folder.place()).execute()
        }
        #expect(
            error?.description == "The response has no file: a node or a middleware made it, in place of the sender.")
    }

    @Test func aDownloadWithoutContentSaysSo() async throws {
        let folder = try TestFolder()
        server.on(.get, "/", respond: .status(204))
        let error = await thrown(ResponseBodyError.self) {
            _ = try await UrlChainsBuilder<URL>().route(.get, server.url("/")).quiet().download(to: folder.place())
                .execute()
        }
        #expect(error?.description == "The response has no file: its status is 204, which means no content.")
    }

    @Test func aHeadSaysThatItsResponseHasNoContent() async throws {
        let folder = try TestFolder()
        server.on(.head, "/", respond: .status(200))
        let request = ApiClient(server.url("/")) { $0.log.sink = .silent }.head("")
        let streaming = await thrown(ResponseBodyError.self) { _ = try await request.stream() }
        #expect(
            streaming?.description == "The response has no stream: the response to a HEAD request has no content.")
        let download = await thrown(ResponseBodyError.self) { _ = try await request.download(to: folder.place()) }
        #expect(download?.description == "The response has no file: the response to a HEAD request has no content.")
    }

    @Test func aValueThatIsOutKeepsNothingOfItsResponse() async throws {
        /// Answers with what it is given.
        final class Echoing: UrlChainsBuilder<URL> {
            override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
                ClosureNode(name: "Echo") { .emit(data: $0) }
            }
        }
        server.on(.get, "/", respond: riga)
        let page: ApiResponse<Json> = try await Changing { $0 }.route(.get, server.url("/")).quiet().build().execute()
        let echo: Node<Json, ApiResponse<Json>> = Echoing().route(.get, server.url("/")).quiet().build()
        #expect(try await echo.execute(page.value).headers.fields.isEmpty)
    }

    @Test func aParserOfOnesOwnMayGiveWhatItLikes() async throws {
        server.on(.get, "/", respond: riga)
        let parser = ClosureNode<HttpResponse, Json>(name: "Parser") { _ in .emit(data: ["townName": "Oslo"]) }
        let page: ApiResponse<Town> = try await builder().parse(with: parser).build().execute()
        #expect(page.value == Town(name: "Oslo"))
        expectHead(page)
    }

    @Test func ofTwoSendingsItIsTheAnswerWhoseBodyIsTaken() async throws {
        server.on(.get, "/", inOrder: [riga, .json("{}").header("ETag", "\"2\"")])
        let page: ApiResponse<Town> = try await builder()
            .insert(at: .attempt) { next in
                ClosureNode(name: "Twice") { request in
                    next.process(request).flatMap { first in next.process(request).map { _ in first } }
                }
            }
            .build().execute()
        #expect(page.value == Town(name: "Riga"))
        expectHead(page)
        #expect(server.requests.count == 2)
    }

    @Test func aScriptedSenderGivesItAndCallbacksToo() async throws {
        let sender = ScriptedRequestSender { $0.respond(headers: ["Link": "<p2>"], body: Data("[]".utf8)) }
        let chain: Node<Void, ApiResponse<[Town]>> = builder().sender(sender).build()
        let observer = chain.process()
        try await Ends(observer).wait()
        #expect(observer.outcome?.value?.headers["Link"] == "<p2>")
        #expect(observer.outcome?.value?.value == [])
    }

    @Test func theDescriptionHoldsNoSecretAndMapKeepsTheRest() throws {
        let url = try #require(URL(string: "https://ann:geheim@api.example.com/towns?token=geheim&page=2"))
        let answer = ApiResponse(
            value: ["geheim"], status: 206, headers: ["Set-Cookie": "sid=geheim", "ETag": "1"], url: url)
        let text = "status 206 with Array<String> from https://***@api.example.com/towns?token=***&page=2"
        #expect(answer.description == text)
        let other = answer.map(\.count)
        #expect(other.value == 1)
        #expect(other.headers["ETag"] == "1")
        #expect(other.description == text.replacing("Array<String>", with: "Int"))
    }
}
