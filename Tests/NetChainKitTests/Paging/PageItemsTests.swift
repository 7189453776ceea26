import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

/// The items of pages, and where they are in the body.
struct PageItemsTests {
    private struct User: Codable, Equatable, Sendable {
        var name: String
    }

    /// A model with two layers.
    private struct Person: DTODecodable, Equatable {
        struct Entry: Decodable, RawDecodable {
            typealias Raw = Json
            let name: String
        }
        let text: String

        static func from(dto: Entry) throws -> Person { Person(text: "<\(dto.name)>") }
    }

    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url("/")) { $0.log.sink = .silent }
    }

    /// The items of a page with this body.
    private func items<Item>(
        _ body: LoopbackResponse, _ stream: (ApiRequest) -> ValueStream<Item>
    ) async throws -> [Item] {
        server.on(.get, "/list", respond: body)
        var items: [Item] = []
        for try await item in stream(api.get("list")) { items.append(item) }
        return items
    }

    @Test func itemsAreTheBodyOrAtAPathOfKeys() async throws {
        let users = [User(name: "a"), User(name: "b")]
        #expect(try await items(.json(users)) { $0.items(of: User.self, by: .link) } == users)
        #expect(try await items(.json(["users": users])) { $0.items(of: User.self, at: "users", by: .link) } == users)
        let nested = try await items(.json(["data": ["users": users]])) {
            $0.items(of: User.self, at: "data", "users", by: .link)
        }
        #expect(nested == users)
    }

    @Test func itemsMayHaveTwoLayersOrBeJson() async throws {
        let body = LoopbackResponse.json(#"{"users": [{"name": "a"}]}"#)
        #expect(
            try await items(body) { $0.items(of: Person.self, at: "users", by: .link) } == [Person(text: "<a>")])
        #expect(try await items(body) { $0.items(of: Json.self, at: "users", by: .link) } == [["name": "a"]])
    }

    @Test(
        arguments: [.json(#"{"users": []}"#), .json(#"{"users": null}"#), .status(204), .json("")]
            as [LoopbackResponse])
    func aPageMayHaveNoItems(body: LoopbackResponse) async throws {
        #expect(try await items(body) { $0.items(of: User.self, at: "users", by: .link) } == [])
        #expect(try await items(.json("null")) { $0.items(of: User.self, by: .link) } == [])
    }

    @Test(arguments: [
        (#"{"data": {}}"#, ["data"], "users"), (#"[]"#, [], "object"), (#"{"data": 1}"#, ["data"], "object"),
        (#"{"data": {"users": {}}}"#, ["data", "users"], "array"),
        (#"{"data": {"users": [{"name": "a"}, {}]}}"#, ["data", "users", "Index 1"], "name"),
    ])
    func anErrorNamesThePlaceAndTheRequest(body: String, path: [String], reason: String) async throws {
        for isTwoLayered in [false, true] {
            let error = await thrown(DecodingError.self) {
                if isTwoLayered {
                    _ = try await items(.json(body)) { $0.items(of: Person.self, at: "data", "users", by: .link) }
                } else {
                    _ = try await items(.json(body)) { $0.items(of: User.self, at: "data", "users", by: .link) }
                }
            }
            let text = String(describing: error)
            #expect(text.contains(reason) && text.contains("In the response to GET \(server.url("/list"))"))
            #expect(error?.path.starts(with: path) == true)
        }
    }

    @Test func aRuleGetsTheItemsAndTheWholeBody() async throws {
        let rule = Paging<PageItems<Int>> { page, _ in
            #expect(page.value.count == 2 && Array(page.value) == [1, 2] && page.value.last == 2)
            #expect(page.value.json["total"] == 2 && page.status == 200)
            return nil
        }
        #expect(
            try await items(.json(#"{"ids": [1, 2], "total": 2}"#)) { $0.items(of: Int.self, at: "ids", by: rule) }
                == [1, 2])
    }

    @Test func pagesMayHaveTwoLayers() async throws {
        server.on(.get, "/people", inOrder: [.json(#"[{"name": "a"}]"#), .json("[]")])
        var pages: [[Person]] = []
        for try await page in api.get("people").pages(as: [Person].self, by: .pageNumber()) { pages.append(page.value) }
        #expect(pages == [[Person(text: "<a>")], []])
    }
}

extension DecodingError {
    fileprivate var path: [String] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map(\.stringValue)
        @unknown default: []
        }
    }
}
