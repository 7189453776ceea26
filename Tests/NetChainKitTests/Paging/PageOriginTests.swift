import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What links get of a request's secrets.
struct PageOriginTests {
    private let (server, other): (LoopbackServer, LoopbackServer)
    private let api: ApiClient

    init() throws {
        (server, other) = (try LoopbackServer(), try LoopbackServer())
        api = ApiClient(server.url("/")) {
            $0.log.sink = .silent
            $0.log.redaction = .standard.adding(keys: ["tenant_code"])
            $0.auth = .bearer(TokenStore(TokenPair(accessToken: "t")))
            $0.headers["X-Api-Key"] = "k"
            $0.headers["X-Plain"] = "p"
            $0.query["api_key"] = "a b"
        }
    }

    /// Serves a page that links to `next`, and a last page.
    private func serve(_ pages: [String?], on server: LoopbackServer, _ path: String = "/list") {
        server.on(
            .get, path,
            inOrder: pages.map { next in
                let page = LoopbackResponse.json("[1]")
                return next.map { page.header("Link", "<\($0)>; rel=next") } ?? page
            })
    }

    private func count(_ request: ApiRequest) async throws -> Int {
        try await request.items(of: Int.self, by: .link).reduce(0) { $0 + $1 }
    }

    @Test func secretsThatALinkLacksAreAddedAtTheSameOrigin() async throws {
        serve(["?page=2", "?api_key=c&page=3", server.url("/list?page=4&x").absoluteString, nil], on: server)
        let request = api.get("list?sig=s%2B&plain=1").query("tenant_code", 7).query("user", ["password": "w"])
        #expect(try await count(request) == 4)
        #expect(
            server.requests.map(\.target) == [
                "/list?sig=s%2B&plain=1&api_key=a%20b&tenant_code=7&user%5Bpassword%5D=w",
                "/list?page=2&sig=s%2B&api_key=a%20b&tenant_code=7&user%5Bpassword%5D=w",
                "/list?api_key=c&page=3&sig=s%2B&tenant_code=7&user%5Bpassword%5D=w",
                "/list?page=4&x&sig=s%2B&api_key=a%20b&tenant_code=7&user%5Bpassword%5D=w",
            ])
        for request in server.requests {
            #expect(request.headers["Authorization"] == "Bearer t" && request.headers["X-Api-Key"] == "k")
        }
    }

    /// The server has chosen the origin, so it gets no client certificate.
    @Test func aPageAtAnotherOriginIsKnownAsALink() async throws {
        let sender = ScriptedRequestSender { exchange in
            let next = ["/1": "<https://other.example/2>; rel=next", "/2": "</3>; rel=next"][exchange.request.url.path]
            exchange.respond(headers: next.map { ["Link": $0] } ?? [:], body: Data("[1]".utf8))
        }
        #expect(try await count(ApiClient("https://a.example").sender(sender).get("1")) == 3)
        #expect(sender.requests.map(\.options.isLinkToOtherOrigin) == [false, true, true])
    }

    @Test func theUserInfoStaysAtTheSameOrigin() async throws {
        let base = server.url("/").absoluteString.replacing("http://", with: "http://u:p@")
        serve([server.url("/list?page=2").absoluteString, nil], on: server)
        let api = ApiClient(base) { $0.log.sink = .silent }
        #expect(try await count(api.get("list")) == 2)
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Basic dTpw", "Basic dTpw"])
    }

    @Test func anotherOriginGetsNoCredentials() async throws {
        serve([other.url("/list?page=2").absoluteString], on: server)
        // Back at the client's origin, the credentials don't return.
        serve(["?page=3", server.url("/end").absoluteString], on: other)
        serve([nil], on: server, "/end")
        let request = api.get("list?sig=s").query("token", "x").query("plain", 1).header("Host", "name.example")
        #expect(try await count(request) == 4)
        #expect(other.requests.map(\.target) == ["/list?page=2", "/list?page=3"])
        #expect(server.requests.last?.target == "/end")
        for request in other.requests + server.requests("/end") {
            #expect(request.headers["Authorization"] == nil && request.headers["X-Api-Key"] == nil)
            #expect(request.headers["X-Plain"] == "p")
            #expect(request.headers["Host"]?.hasPrefix("127.0.0.1:") == true)
        }
    }

    @Test func aPageThatIsRedirectedElsewhereAndLinksThereGetsNoCredentials() async throws {
        server.on(.get, "/list", respond: .redirect(to: other.url("/list").absoluteString))
        serve(["?page=2", nil], on: other)
        #expect(try await count(api.get("list")) == 2)
        #expect(other.requests.map(\.target) == ["/list", "/list?page=2"])
        #expect(other.requests.allSatisfy { $0.headers["Authorization"] == nil && $0.headers["X-Api-Key"] == nil })
    }

    /// Another origin must not choose what is requested with the credentials.
    @Test func aPageThatIsRedirectedElsewhereAndLinksBackGetsNoCredentials() async throws {
        server.on(.get, "/list", respond: .redirect(to: other.url("/list").absoluteString))
        serve([server.url("/admin").absoluteString], on: other)
        serve([nil], on: server, "/admin")
        #expect(try await count(api.get("list")) == 2)
        let request = try #require(server.requests("/admin").first)
        #expect(request.target == "/admin")
        #expect(request.headers["Authorization"] == nil && request.headers["X-Api-Key"] == nil)
    }

    @Test func aLinkFromHttpsToHttpIsNotFollowed() async throws {
        let sender = ScriptedRequestSender {
            $0.respond(json: "[1]", headers: ["Link": "<http://api.example.com/list?page=2>; rel=next"])
        }
        let api = ApiClient("https://api.example.com") {
            $0.sender = sender
            $0.log.sink = .silent
        }
        let error = await thrown(RequestBuildingError.self) { try await count(api.get("list")) }
        #expect(error?.code == .invalidUrl)
        #expect(sender.requests.count == 1)
    }

    /// Only http and https are sent, whatever a server writes.
    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/list", "javascript:alert(1)", "data:application/json,[1]", "mailto:a@b",
        "http:///list", "http://", "//", "unix:/run/docker.sock", "https:",
    ])
    func aLinkToWhatIsNotHttpIsAnError(target: String) async throws {
        serve([target], on: server)
        let pages = api.get("list").pages(as: [Int].self, by: .link).makeAsyncIterator()
        #expect(try await pages.next()?.value == [1])
        do {
            let page = try await pages.next()
            Issue.record("an error is expected, and not \(String(describing: page))")
        } catch {
            #expect((error as? any NetChainFailure)?.errorType == "invalidUrl", "\(error)")
        }
        #expect(server.requests.count == 1)
    }

    /// A link must not exchange the credentials of the client's origin.
    @Test func theUserInfoOfALinkIsNotSentToTheSameOrigin() async throws {
        let link = server.url("/list?page=2").absoluteString.replacing("http://", with: "http://evil:w@")
        serve([link, nil], on: server)
        #expect(try await count(api.get("list")) == 2)
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer t", "Bearer t"])
    }

    @Test func aCustomBuildersSecretsStayAtItsOrigin() async throws {
        struct Provider: MetadataProvider {
            func metadata() -> [String: String] { ["X-Provided": "s"] }
        }
        let api = ApiClient(
            server.url("/").absoluteString,
            builder: {
                UrlChainsBuilder<ApiRoute>().log(to: .silent).set(metadata: ["X-Api-Key": "k", "X-Plain": "p"])
                    .set(query: ["api_key": "a", "plain": 1]).add(provider: Provider())
                    .inject(headers: ["X-Token": "i"])
            })
        serve(["?page=2", other.url("/list?page=3").absoluteString], on: server)
        serve([nil], on: other)
        #expect(try await count(api.get("list")) == 3)
        #expect(
            (server.requests + other.requests).map(\.target) == [
                "/list?api_key=a&plain=1", "/list?page=2&api_key=a", "/list?page=3",
            ])
        let names = ["X-Api-Key", "X-Plain", "X-Provided", "X-Token"]
        let sent = (server.requests + other.requests).map { request in names.map { request.headers[$0] } }
        #expect(sent == [["k", "p", "s", "i"], ["k", "p", "s", "i"], [nil, "p", nil, nil]])
    }

    @Test func aRepeatedPageIsFoundInACustomBuildersChain() async throws {
        serve(["?page=2", "?page=2"], on: server)
        let api = ApiClient(
            server.url("/").absoluteString, builder: { OwnBuilder().log(to: .silent) })
        let error = await thrown(ValueStreamError.self) { try await count(api.get("list")) }
        #expect(error?.code == .repeatedPage)
        #expect(server.requests.count == 2)
    }

    private final class OwnBuilder: UrlChainsBuilder<ApiRoute> {
        override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
            super.requestBuildingChain(with: config)
        }
    }

    @Test func anErrorMasksTheSecretsOfItsRequest() async throws {
        serve(["list"], on: server)
        let error = await thrown(ValueStreamError.self) { try await count(api.get("list")) }
        #expect(error?.request == "GET \(server.url("/list"))?api_key=***")
    }
}
