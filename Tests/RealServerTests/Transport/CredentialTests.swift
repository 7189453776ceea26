import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.needs(.nginx, .httpbin))
struct CredentialTests {
    private static let basic = "Basic " + Data("user:pass:word".utf8).base64EncodedString()

    @Test func aBasicAuthHeaderOpensTheDoor() async throws {
        let user: User = try await request(.nginx, "/private/users/1")
            .set(metadata: ["Authorization": Self.basic]).build().execute()
        #expect(user.name == "Ada")
    }

    @Test func userInfoOfTheUrlOpensTheDoor() async throws {
        let base = try ServerVariable.nginx.url.absoluteString.replacing("http://", with: "http://user:pass%3Aword@")
        let url = try #require(URL(string: base + "/private/users/1"))
        let user: User = try await UrlChainsBuilder<URL>().route(.get, url)
            .sender(try CurlRequestSender(configuration: .loopback())).log(to: .silent).build().execute()
        #expect(user.name == "Ada")
    }

    @Test(arguments: [nil, "Basic " + Data("user:wrong".utf8).base64EncodedString()])
    func withoutItTheAnswerIsUnauthorized(authorization: String?) async throws {
        let error = await thrown(HttpError.self) {
            try await request(.nginx, "/private/users/1")
                .set(metadata: authorization.map { ["Authorization": $0] } ?? [:]).build(Void.self).execute()
        }
        guard case .unauthorized(let response) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.headers["WWW-Authenticate"] == "Basic realm=\"tests\"")
    }

    @Test func cookiesAreOffByDefault() async throws {
        let sender = try CurlRequestSender(configuration: .loopback())
        let response = try await sender.observed(rawRequest(.nginx, "/cookies/set")).value
        #expect(response.headers["Set-Cookie"] == "session=tests; Path=/")
        let echo: Echo = try await request(.nginx, "/echo", with: sender).build().execute()
        #expect(echo.cookie == "")
    }

    @Test func cookiesOfTheRequestAreSent() async throws {
        let echo: Echo = try await request(.nginx, "/echo").set(metadata: ["Cookie": "a=1; b=2"]).build().execute()
        #expect(echo.cookie == "a=1; b=2")
    }

    @Test func cookiesAreKeptInMemoryWhereAskedFor() async throws {
        let configuration = CurlRequestSender.Configuration.loopback { $0.cookies = .memory }
        let sender = try CurlRequestSender(configuration: configuration)
        try await request(.nginx, "/cookies/set", with: sender).build(Void.self).execute()
        // Requests at once have a handle each, which all know the cookie.
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 {
                let chain: Node<Void, Echo> = try request(.nginx, "/echo", with: sender).build()
                group.addTask { try await chain.execute().cookie }
            }
            for try await cookie in group { #expect(cookie == "session=tests") }
        }
        // They belong to the sender, and to the host that set them.
        let fresh = try CurlRequestSender(configuration: configuration)
        let echo: Echo = try await request(.nginx, "/echo", with: fresh).build().execute()
        #expect(echo.cookie == "")
    }

    @Test func cookiesOfARedirectAreKept() async throws {
        let sender = try CurlRequestSender(configuration: .loopback { $0.cookies = .memory })
        let answer: Json = try await request(.httpbin, "/cookies/set?a=1", with: sender).build().execute()
        #expect(answer == ["cookies": ["a": "1"]])
    }
}
