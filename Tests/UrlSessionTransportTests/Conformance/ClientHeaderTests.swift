import NetChainKit
import NetChainTestKit
import Testing

/// The headers of a client, over each sender.
struct ClientHeaderTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "*", respond: .text("ok"))
    }

    private func client(_ kind: SenderKind) throws -> ApiClient {
        let sender = try kind.sender()
        return ApiClient(server.url("/")) {
            $0.sender = sender
            $0.log.sink = .silent
            $0.headers.add(name: "X-Tag", value: "a")
            $0.headers.add(name: "X-Tag", value: "b")
        }
    }

    /// The values of a header. URLSession sends several as one field.
    private func sent(_ name: String) throws -> [String] {
        try #require(server.requests.last).headers.values(of: name)
            .flatMap { $0.split(separator: ",").map { String($0.trimmed) } }
    }

    @Test(arguments: SenderKind.allCases)
    func eachHeaderOfOneNameArrivesInItsOrder(kind: SenderKind) async throws {
        let request = try client(kind).get("a").setting { $0.headers.add(name: "x-tag", value: "c") }
        try await request.send()
        #expect(try sent("X-Tag") == ["a", "b", "c"])
        #if os(Linux)
        if kind == .curl { #expect(server.requests.last?.headers.values(of: "X-Tag") == ["a", "b", "c"]) }
        #endif
    }

    @Test(arguments: SenderKind.allCases)
    func aHeaderThatIsSetReplacesAllOfItsName(kind: SenderKind) async throws {
        try await client(kind).get("a").header("x-tag", "z").send()
        #expect(try sent("X-Tag") == ["z"])
    }
}
