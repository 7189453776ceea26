#if os(Linux)
import NetChainTestKit
import TestSupport
import Testing

@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// libcurl sends a URL in the same bytes, whether it was parsed before or is parsed for its transfer.
struct ParsedUrlTests {
    @Test(arguments: [
        ("", "/"), ("/ok", "/ok"), ("/ok?a=1", "/ok?a=1"), ("/ok?b=x,y:z~-._&c", "/ok?b=x,y:z~-._&c"),
        ("/ok?a=%2F%2f", "/ok?a=%2F%2f"), ("/ok?a=b?c", "/ok?a=b?c"), ("/ok?a=b+c", "/ok?a=b+c"),
        ("/a/../b/./c", "/a/../b/./c"), ("/%2e%2E/x%2fy", "/%2e%2E/x%2fy"), ("//a;b=1", "//a;b=1"), ("?a", "/?a"),
        ("/ok#a?b", "/ok"), ("/ok?a#b", "/ok?a"),
    ])
    func aUrlIsSentAsItIs(suffix: String, target: String) async throws {
        let server = try LoopbackServer()
        let sender = try makeSender()
        let port = try #require(server.url("/").port)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)\(suffix)"))
        for _ in 0..<3 { _ = try await sender.send(HttpRequest(method: .get, url: url)) }
        #expect(server.requests.map(\.target) == [target, target, target])
    }

    @Test func aUrlIsParsedOnceWithoutItsQuery() {
        var urls = ParsedUrls()
        let first = urls.parsed("http://a.test/b")
        #expect(first != nil)
        #expect(urls.parsed("http://a.test/b?c=1") != nil)
        #expect(urls.parsed("http://a.test/b") === first)
        for number in 0..<100 { #expect(urls.parsed("http://a.test/\(number)") != nil) }
        #expect(urls.parsed("http://a.test/b") !== first)
    }

    @Test(arguments: ["?a=%2F", "?", "?a=b c", "?a'", "#a", "#a?b", "?a#b", String(repeating: "a", count: 300)])
    func libcurlParsesOtherUrlsForTheirTransfer(suffix: String) {
        var urls = ParsedUrls()
        #expect(urls.parsed("http://a.test/\(suffix)") == nil)
    }
}
#endif
