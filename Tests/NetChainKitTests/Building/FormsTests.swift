import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Every form of `build` and `loadData`, over the real sender.
struct FormsTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func builder(_ method: HttpMethod, _ path: String = "/") -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>().route(method, server.url(path)).quiet()
    }

    @Test func aModelGoesOutAndOneComesBack() async throws {
        server.on(.post, "/", respond: .json(#"{"id": 7, "name": "Ann"}"#, status: 201))
        let chain: Node<User, User> = builder(.post).build()
        #expect(try await chain.execute(User(id: 0, name: "Ann")) == User(id: 7, name: "Ann"))
        let request = try #require(server.requests.first)
        #expect(request.headers.values(of: "Content-Type") == ["application/json"])
        #expect(try Json(parsing: request.body) == ["id": 0, "name": "Ann"])
    }

    @Test func twoLayersAreMappedBothWays() async throws {
        server.on(.put, "/", respond: .json(#"{"townName": "Riga"}"#))
        let chain: Node<Town, Town> = builder(.put).build()
        #expect(try await chain.execute(Town(name: "Oslo")) == Town(name: "Riga"))
        #expect(try Json(parsing: #require(server.requests.first).body) == ["townName": "Oslo"])
    }

    @Test func jsonGoesInAndOutWithoutAModel() async throws {
        server.on(.post, "/") { .json($0.text) }
        let chain: Node<Json, Json> = builder(.post).build()
        for json in [["a": [1, nil, true]], [1, "two"], "text", 1.5, true, nil, [:]] as [Json] {
            #expect(try await chain.execute(json) == json)
        }
    }

    @Test func arraysAndDictionariesOfJsonNeedNoModelEither() async throws {
        server.on(.post, "/") { .json($0.text) }
        let array: Node<[Json], [Json]> = builder(.post).build()
        #expect(try await array.execute([1, ["a": nil]]) == [1, ["a": nil]])
        let dictionary: Node<[String: Json], [String: Json]> = builder(.post).build()
        #expect(try await dictionary.execute(["a": [1]]) == ["a": [1]])
        let optional: Node<Json?, Json> = builder(.post).build()
        #expect(try await optional.execute(nil).isNull)
        #expect(server.requests.last?.text == "null")
    }

    @Test func arraysDictionariesAndOptionalsAreMapped() async throws {
        server.on(.get, "/list", respond: .json(#"[{"townName": "Riga"}, {"townName": "Oslo"}]"#))
        server.on(.get, "/map", respond: .json(#"{"lv": {"townName": "Riga"}}"#))
        server.on(.get, "/null", respond: .json("null"))
        server.on(.get, "/empty", respond: .status(204))
        server.on(.post, "/list") { .json($0.text) }
        #expect(try await builder(.get, "/list").build().execute() == [Town(name: "Riga"), Town(name: "Oslo")])
        #expect(try await builder(.get, "/map").build().execute() == ["lv": Town(name: "Riga")])
        #expect(try await builder(.get, "/null").build().execute() == Town?.none)
        #expect(try await builder(.get, "/null").build().execute() == [Town]())
        #expect(try await builder(.get, "/empty").build().execute() == Town?.none)
        #expect(try await builder(.get, "/empty").build().execute() == [Town]())
        let echo: Node<[Town], [Town?]> = builder(.post, "/list").build()
        #expect(try await echo.execute([Town(name: "Bonn")]) == [Town(name: "Bonn")])
    }

    @Test func aChainWithoutInputSendsNoBody() async throws {
        server.on(.any, "/", respond: .json(#"{"id": 1, "name": "Ann"}"#))
        for method in [HttpMethod.get, .post, .put, .patch, .delete] {
            let user: User = try await builder(method).build().execute()
            #expect(user.name == "Ann")
        }
        #expect(server.requests.count == 5)
        for request in server.requests {
            #expect(request.bodyLength == 0)
            #expect(request.headers["Content-Type"] == nil)
            #expect(request.headers["Transfer-Encoding"] == nil)
            #expect(request.query == nil)
        }
        #expect(server.requests.map { $0.headers["Content-Length"] } == [nil, "0", "0", "0", nil])
    }

    @Test(arguments: [
        LoopbackResponse.text("no JSON at all"), .json("{"), .status(204), .status(200), .json(#"{"a": 1}"#),
    ])
    func aChainWithoutOutputLooksAtNoBody(response: LoopbackResponse) async throws {
        server.on(.any, "/", respond: response)
        let withInput: Node<User, Void> = builder(.post).build()
        try await withInput.execute(User(id: 1, name: "Ann"))
        let withoutInput: Node<Void, Void> = builder(.delete).build()
        try await withoutInput.execute()
        let form: Node<MultipartModel<[String: Data]>, Void> = builder(.post).build()
        try await form.execute(MultipartModel(payloadModel: [:]))
        #expect(server.requests.map(\.method.rawValue) == ["POST", "DELETE", "POST"])
    }

    @Test func aChainWithoutOutputStillFailsByStatus() async throws {
        server.on(.any, "/", respond: .text("no", status: 404))
        let chain: Node<Void, Void> = builder(.delete).build()
        let error = await thrown(HttpError.self) { try await chain.execute() }
        guard case .notFound(let response) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.data == Data("no".utf8))
    }

    @Test func aMultipartFormGoesOutAndAModelComesBack() async throws {
        server.on(.post, "/", respond: .json(#"{"townName": "Riga"}"#))
        // The encoding that is set plays no role for a form.
        let chain: Node<MultipartModel<[String: Data]>, Town> = builder(.post).encode(as: .formUrl).build()
        let form = MultipartModel<[String: Data]>(
            payloadModel: ["title": Data("Dusk \"1\"".utf8)],
            files: ["photo": .data(data: Data([0xFF, 0, 0x0D, 0x0A]), filename: "dusk.png")])
        #expect(try await chain.execute(form) == Town(name: "Riga"))
        let parts = try #require(server.requests.first).multipartParts
        #expect(parts.map(\.name) == ["title", "photo"])
        #expect(parts[0].text == "Dusk \"1\"")
        #expect(parts[0].contentType == nil)
        #expect(parts[1].filename == "dusk.png")
        #expect(parts[1].contentType == "image/png")
        #expect(parts[1].body == [0xFF, 0, 0x0D, 0x0A])
    }

    @Test func aModelThatBecomesAFormIsSentAsOne() async throws {
        struct Upload: DTOEncodable {
            struct Entry: RawEncodable {
                let title: String
                func toRaw() throws -> MultipartModel<[String: Data]> {
                    MultipartModel(payloadModel: ["title": Data(title.utf8)])
                }
            }
            let title: String
            func toDTO() throws -> Entry { Entry(title: title) }
        }
        server.on(.post, "/", respond: .json("[]"))
        let withModel: Node<Upload, [Town]> = builder(.post).build()
        #expect(try await withModel.execute(Upload(title: "a")).isEmpty)
        let withoutOutput: Node<Upload, Void> = builder(.post).build()
        try await withoutOutput.execute(Upload(title: "b"))
        #expect(try server.requests.map { try $0.multipartParts.map(\.text) } == [["a"], ["b"]])
    }

    @Test func aFileIsLoadedAsItCame() async throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        server.on(.get, "/", respond: .data(bytes))
        server.on(.post, "/", respond: .data(bytes))
        #expect(try await builder(.get).loadData().execute() == bytes)
        let withInput: Node<User, Data> = builder(.post).loadData()
        #expect(try await withInput.execute(User(id: 1, name: "Ann")) == bytes)
        #expect(server.requests[0].bodyLength == 0)
        #expect(try Json(parsing: server.requests[1].body) == ["id": 1, "name": "Ann"])
    }

    @Test func loadingJsonGivesItsBytesAndNothingGivesNone() async throws {
        server.on(.get, "/json", respond: .json("{ \"a\":1 }"))
        server.on(.get, "/no-content", respond: .status(204))
        server.on(.head, "/", respond: .text("body"))
        #expect(try await builder(.get, "/json").loadData().execute() == Data("{ \"a\":1 }".utf8))
        #expect(try await builder(.get, "/no-content").loadData().execute().isEmpty)
        #expect(try await builder(.head, "/").loadData().execute().isEmpty)
    }

    @Test func loadingFailsByStatusToo() async throws {
        server.on(.get, "/", respond: .data(Data([1]), status: 403))
        let error = await thrown(HttpError.self) { try await builder(.get).loadData().execute() }
        #expect(error?.status == 403)
        #expect(error?.response.data == Data([1]))
    }

    @Test func anAnswerToHeadIsAnEmptyJson() async throws {
        server.on(.head, "/", respond: .json(#"{"a": 1}"#))
        let json: Json = try await builder(.head).build().execute()
        #expect(json == Json())
    }

    @Test func theServersErrorModelIsReadFromTheError() async throws {
        struct Problem: Decodable {
            let message: String
        }
        server.on(.post, "/", respond: .json(#"{"message": "name is taken"}"#, status: 409))
        let chain: Node<User, User> = builder(.post).build()
        let error = await thrown(HttpError.self) { try await chain.execute(User(id: 1, name: "Ann")) }
        #expect(try #require(error).decodeBody(as: Problem.self).message == "name is taken")
    }

    @Test func anAnswerOfAnotherShapeNamesTheCodingPath() async throws {
        server.on(.get, "/", respond: .json(#"[{"id": 1, "name": "Ann"}, {"id": "x", "name": "Bob"}]"#))
        let error = await thrown(DecodingError.self) { try await builder(.get).build().execute() as [User] }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["Index 1", "id"])
    }

    @Test func aDecodingErrorNamesTheRequestWithoutItsSecrets() async throws {
        server.on(.post, "/", respond: .json(#"{"name": "Ann"}"#))
        let chain: Node<User, User> = builder(.post).set(query: ["token": "geheim"]).build()
        let error = await thrown(DecodingError.self) { try await chain.execute(User(id: 1, name: "Ann")) }
        guard case .keyNotFound(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription.contains(" In the response to POST \(server.url("/"))?token="))
        #expect(!"\(context)".contains("geheim"))
        // What isn't decoded from that answer is told nothing of it.
        let town: Node<Void, [Town]> = builder(.get).parse(with: ClosureNode { _ in .emit(data: [1]) }).build()
        server.on(.get, "/", respond: .json("[]"))
        let other = await thrown(DecodingError.self) { try await town.execute() }
        #expect(!"\(String(describing: other))".contains("In the answer"))
    }

    @Test func anAnswerThatIsNoJsonNamesThePlace() async throws {
        server.on(.get, "/", respond: .text("{\"id\": geheim}"))
        let error = await thrown(ResponseParsingError.self) {
            try await builder(.get).build().execute() as User
        }
        #expect(error?.cause.column == 8)
        #expect(error?.description.contains("geheim") == false)
    }
}
