import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.needs(.nginx, .httpbin, .nginxTls, .authorities))
struct RedirectTests {

    private func code(
        _ path: String, from server: ServerVariable = .nginx, _ configuration: CurlRequestSender.Configuration
    ) async throws -> TransportError.Code? {
        let sender = try CurlRequestSender(configuration: configuration)
        let raw = try rawRequest(server, path)
        return await thrown(TransportError.self) { try await sender.observed(raw).value }?.code
    }

    @Test(
        arguments: [
            (301, "GET", "GET"), (302, "GET", "GET"), (303, "GET", "GET"), (307, "GET", "GET"), (308, "GET", "GET"),
            (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
            (308, "POST", "POST"), (301, "PUT", "PUT"), (302, "PATCH", "PATCH"), (303, "PUT", "GET"),
            (303, "DELETE", "GET"), (307, "DELETE", "DELETE"), (308, "PATCH", "PATCH"),
        ] as [(Int, HttpMethod, String)])
    func theMethodAfterARedirectIsTheStandards(status: Int, method: HttpMethod, after: String) async throws {
        let echo: Echo = try await request(method, .nginx, "/redirect/\(status)").build().execute()
        #expect(echo.method == after)
        #expect(echo.uri == "/echo?from=\(status)")
        #expect(echo.contentType == "")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func theBodyGoesWhereTheMethodStays(status: Int) async throws {
        let answer: Anything = try await request(.post, .httpbin, "/redirect-to?url=/anything&status_code=\(status)")
            .build().execute(Login())
        if status >= 307 {
            #expect(answer.method == "POST")
            #expect(try answer.json?.decode(Login.self) == Login())
        } else {
            #expect(answer.method == "GET")
            #expect(answer.data == "")
            #expect(answer.headers["Content-Type"] == nil)
            #expect(answer.headers["Content-Length"] == nil)
        }
    }

    @Test func aFileIsSentAgainAfterARedirect() async throws {
        let file = try TemporaryFile("notes.txt", Data("notes".utf8))
        let form = MultipartModel(payloadModel: [String: Data](), files: ["file": .url(url: file.url)])
        let answer: Anything = try await request(.post, .httpbin, "/redirect-to?url=/anything&status_code=308")
            .build().execute(form)
        #expect(answer.files == ["file": "notes"])
    }

    @Test func headStaysHead() async throws {
        let sender = try CurlRequestSender(configuration: .loopback())
        let response = try await sender.observed(rawRequest(.head, .nginx, "/redirect/303")).value
        #expect(response.status == 200)
        #expect(try response.url == ServerVariable.nginx.url + "/echo?from=303")
        #expect(try response.request.url == ServerVariable.nginx.url + "/redirect/303")
        #expect(response.metrics.redirects == 1)
        #expect(response.data.isEmpty)
    }

    @Test func aLoopEndsAtTheLimit() async throws {
        #expect(try await code("/redirect/loop", .loopback()) == .tooManyRedirects)
        #expect(try await code("/redirect/chain/3", .loopback { $0.redirects.limit = 2 }) == .tooManyRedirects)
    }

    @Test func asManyRedirectsAsAllowedAreFollowed() async throws {
        let sender = try CurlRequestSender(configuration: .loopback { $0.redirects.limit = 3 })
        let echo: Echo = try await request(.nginx, "/redirect/chain/3", with: sender).build().execute()
        #expect(echo.uri == "/echo?from=chain")
    }

    @Test func noneIsFollowedWithALimitOfZero() async throws {
        let sender = try CurlRequestSender(configuration: .loopback { $0.redirects.limit = 0 })
        let error = await thrown(HttpError.self) {
            try await request(.nginx, "/redirect/302", with: sender).build(Void.self).execute()
        }
        #expect(error?.status == 302)
        #expect(error?.response.headers["Location"] == "/echo?from=302")
    }

    @Test func secretsAreNotSentToAnotherOrigin() async throws {
        let secrets = [
            "Authorization": "Bearer secret", "Cookie": "session=secret", "X-Api-Key": "secret", "X-Other": "stays",
        ]
        let elsewhere = try ServerVariable.httpbin.url.absoluteString.replacing("127.0.0.1", with: "localhost")
        let other: Json = try await request(.httpbin, "/redirect-to?url=\(elsewhere)/headers")
            .set(metadata: secrets).build().execute()
        #expect(other["headers"]?["Host"]?.string?.hasPrefix("localhost:") == true)
        #expect(other["headers"]?["X-Other"] == "stays")
        for name in ["Authorization", "Cookie", "X-Api-Key"] { #expect(other["headers"]?[name] == nil) }

        let same: Json = try await request(.httpbin, "/redirect-to?url=/headers")
            .set(metadata: secrets).build().execute()
        for (name, value) in secrets { #expect(same["headers"]?[name] == Json(value)) }
    }

    @Test func userInfoOfTheUrlIsNotSentToAnotherOrigin() async throws {
        let base = try ServerVariable.nginx.url.absoluteString.replacing("http://", with: "http://user:pass%3Aword@")
        let other = try #require(URL(string: base + "/redirect/other-origin"))
        let sender = try CurlRequestSender(configuration: .loopback())
        let echo: Echo = try await UrlChainsBuilder<URL>().route(.get, other).sender(sender).log(to: .silent)
            .build().execute()
        #expect(echo.host.hasPrefix("localhost:"))
        #expect(echo.authorization == "")
    }

    @Test func aRedirectToPlainHttpIsFollowedOnlyWhereAllowed() async throws {
        #expect(try await code("/redirect/to-plain-http", from: .nginxTls, .tls()) == .insecureRedirect)
        let sender = try CurlRequestSender(configuration: .tls { $0.redirects.allowsInsecure = true })
        let echo: Echo = try await request(.nginxTls, "/redirect/to-plain-http", with: sender)
            .set(metadata: ["Authorization": "Bearer secret"]).build().execute()
        #expect(echo.scheme == "http")
        #expect(echo.authorization == "")
    }

    @Test func onlyHttpIsFollowed() async throws {
        #expect(try await code("/redirect/to-file", .loopback()) == .insecureRedirect)
    }

    @Test func aRedirectToNowhereIsARefusedConnection() async throws {
        #expect(try await code("/redirect/nowhere", .loopback()) == .connectionRefused)
    }
}
