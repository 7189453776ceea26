import Foundation
import NetChainKit
import NetChainTestKit
import Testing

/// The samples of tokens and of other formats that take a client run against a server.
struct OtherFormatSampleTests {
    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) { $0.log.sink = .silent }
    }

    @Test func aPostIsRepeatedWithItsKeyAfterAStatusOfTheClients() async throws {
        server.on(.post, "/chat", inOrder: [.status(529), .status(500), .json(["text": "hello"])])
        let answer = try await complete(patient(api))
        #expect(answer["text"]?.string == "hello")
        let requests = server.requests("/chat")
        #expect(requests.count == 3)
        #expect(Set(requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(requests.allSatisfy { $0.headers["Idempotency-Key"] != nil && $0.text == requests[0].text })
        #expect(try requests[0].json == ["model": "m", "max_tokens": 5])
    }

    @Test func bodiesOfOtherFormatsAndAPartOfAFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "part-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let part = 8_388_608
        try (Data(repeating: 7, count: part) + Data("the rest".utf8)).write(to: file)
        server.on(.get, "/row", respond: .status(204))
        server.on(.post, "/row", respond: .status(201))
        server.on(.patch, "/blobs/1", respond: .status(202))
        server.on(.get, "/token", respond: .json([:] as Json))
        try await upload(api, file)

        let rows = server.requests("/row")
        #expect(rows[0].headers["Accept"]?.hasPrefix("text/csv") == true)
        #expect(rows[1].headers["Content-Type"] == "text/csv")
        #expect(rows[1].text == "[]")
        let blob = try #require(server.requests("/blobs/1").first)
        #expect(blob.headers["Content-Range"] == "0-8388607")
        #expect(blob.body.count == part && blob.body.allSatisfy { $0 == 7 })
        #expect(server.requests("/token").first?.query == "scope=a&scope=b")
    }
}
