import Models
import NetChainTestKit
import Testing
import UrlTransport

struct LoopbackRoutingTests {
    private func get(_ path: String, from server: LoopbackServer, method: String = "GET") async throws
        -> RawClient.Answer
    {
        let client = try RawClient(port: server.port)
        client.send("\(method) \(path) HTTP/1.1\r\nHost: test\r\n\r\n")
        return try await client.readAnswer()
    }

    @Test func aHandlerAnswersItsRoute() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/users/:id") { request in
            .json(#"{"id":\#(request.parameters["id"] ?? "?")}"#)
        }
        let answer = try await get("/users/7?x=1", from: server)
        #expect(answer.head == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n")
        #expect(answer.body == #"{"id":7}"#)
    }

    @Test func anAsynchronousHandlerAnswersItsRoute() async throws {
        let server = try LoopbackServer()
        server.on("PROPFIND", "/a") { request in
            await Task.yield()
            return .text("\(request.method)")
        }
        #expect(try await get("/a", from: server, method: "PROPFIND").body == "PROPFIND")
    }

    @Test func withoutARouteTheResponseIs404AndListsTheRoutes() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/a", respond: .text("post"))
        server.hold("/users/:id")
        let answer = try await get("/a", from: server)
        #expect(answer.statusLine == "HTTP/1.1 404 Not Found")
        #expect(answer.body == "No route for GET /a. The server's routes: POST /a, any method /users/:id\n")
    }

    @Test(
        arguments: [
            ("/files/*", "/files/a/b.txt", "a/b.txt"), ("/files/*", "/files/", ""), ("/files/*", "/files", nil),
            ("*", "/any/thing", "/any/thing"), ("/a/:x/c", "/a/b%2Fb/c", "b/b"), ("/a/:x/c", "/a/b/d", nil),
            ("/a/:x/c", "/a/b/c/d", nil), ("/stra%C3%9Fe", "/straße", ""),
            ("/caf%C3%A9", "/cafe%CC%81", nil),
        ] as [(String, String, String?)])
    func patternsTakeTheirPaths(pattern: String, path: String, taken: String?) async throws {
        let server = try LoopbackServer()
        server.on(.any, pattern) { .text($0.parameters["*"] ?? $0.parameters["x"] ?? "") }
        let answer = try await get(path, from: server)
        if let taken {
            #expect(answer.body == taken)
        } else {
            #expect(answer.statusLine == "HTTP/1.1 404 Not Found")
        }
    }

    @Test func theLastRouteWins() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/users/:id", respond: .text("general"))
        server.on(.get, "/users/1", respond: .text("special"))
        #expect(try await get("/users/1", from: server).body == "special")
        server.on(.get, "/users/:id", respond: .text("general again"))
        #expect(try await get("/users/1", from: server).body == "general again")
    }

    @Test func aSequenceAnswersInOrderAndStaysAtItsLast() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/token", inOrder: [.status(401), .text("one"), .text("two")])
        var answers: [String] = []
        for _ in 0..<4 {
            let answer = try await get("/token", from: server)
            answers.append(answer.body.isEmpty ? answer.statusLine : answer.body)
        }
        #expect(answers == ["HTTP/1.1 401 Unauthorized", "one", "two", "two"])
    }

    @Test func anErrorOfAHandlerBecomesA500() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/") { _ in throw LoopbackError(.malformedBody, "no luck") }
        let answer = try await get("/", from: server)
        #expect(answer.statusLine == "HTTP/1.1 500 Internal Server Error")
        #expect(answer.body == "The test's handler of GET / threw: no luck\n")
    }

    @Test func valuesAndJsonOfARequestAreWrittenAndRead() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/value") { _ in .json(["a": [1, 2]], status: 201) }
        server.on(.get, "/not-a-number") { _ in .json(["a": Double.nan]) }
        server.on(.get, "/read") { request in .text("\(try request.json)") }
        let value = try await get("/value", from: server)
        #expect(value.statusLine == "HTTP/1.1 201 Created")
        #expect(value.body == #"{"a":[1,2]}"#)
        #expect(try await get("/not-a-number", from: server).body.hasPrefix("The test's value can't be encoded: "))
        #expect(try await get("/read", from: server).body.hasPrefix("The test's handler of GET /read threw: "))
    }

    @Test func aLiteralMayHaveValuesOfSeveralTypes() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/users/:id") { .json(["id": $0.parameters["id"], "age": 36, "team": nil], status: 201) }
        server.on(.get, "/list", respond: .json([["id": 1, "name": "Ada"]]))
        let user = try await get("/users/7", from: server)
        #expect(user.statusLine == "HTTP/1.1 201 Created")
        #expect(try Json(parsing: user.body) == ["id": "7", "age": 36, "team": nil])
        #expect(try await get("/list", from: server).body == #"[{"id":1,"name":"Ada"}]"#)
    }

    @Test func aBlockedHandlerDoesNotStopTheOthers() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        server.on(.get, "/blocked") { _ in
            gate.wait()
            return .text("late")
        }
        server.on(.get, "/free") { _ in .text("free") }
        async let late = get("/blocked", from: server)
        try await server.waitForRequests(1, "/blocked")
        #expect(try await get("/free", from: server).body == "free")
        gate.open()
        #expect(try await late.body == "late")
    }

    @Test func aRouteToldByTheAbsoluteTargetOfAProxyRequestIsFound() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/users", respond: .text("proxied"))
        #expect(try await get("http://example.org:80/users?a=b", from: server).body == "proxied")
        #expect(server.requests[0].target == "http://example.org:80/users?a=b")
        #expect(server.requests[0].path == "/users")
        #expect(server.requests[0].query == "a=b")
    }
}
