#if os(Linux)
import Models
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a server sees of a URL.
struct CurlTargetTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "*", respond: .text("here"))
    }

    private static let targets = [
        "/a/../b", "/../b", "/a/./b", "/.", "/..", "/a/..", "/%2e%2E/b", "/a/%2F/../b", "//", "//a", "/a//b//",
        "/a///../b",
        "/a/?b=../c/./d", "/a%20b%2Bc+d?e=f%26+g", "/a;b=c,d:e@f/(g)*!$&'", "/?a=%5B1%5D&a?b", "/%C3%BC%ff", "/a%00b",
        "/\(String(repeating: "a/../", count: 2000))",
    ]

    @Test(arguments: targets)
    func whatTheRequestSaysIsSent(target: String) async throws {
        let url = try #require(URL(parsing: server.url.absoluteString + target + "#part"))
        #expect(url.absoluteString == server.url.absoluteString + target + "#part")
        let response = try await makeSender().send(.get, url).value
        #expect((response.url, server.requests.map(\.target)) == (url, [target]))
    }

    @Test(arguments: targets)
    func aProxyGetsItToo(target: String) async throws {
        let proxy = server.url
        let url = try #require(URL(parsing: "http://h.invalid" + target))
        _ = try await makeSender { $0.proxy = .url(proxy) }.send(.get, url).value
        #expect(server.requests.map(\.target) == [url.absoluteString])
    }

    @Test func anEmptyPathIsASlash() async throws {
        for target in ["", "?a=/../b", "#part"] {
            _ = try await makeSender().send(.get, try #require(URL(parsing: server.url.absoluteString + target))).value
        }
        #expect(server.requests.map(\.target) == ["/", "/?a=/../b", "/"])
    }

    // MARK: - Hosts

    /// Foundation makes the ASCII form only in a program that links it whole.
    @Test(arguments: [
        "http://bücher.example/x", "http://b%C3%BCcher.example/x", "http://B%C3%9CCHER.example/x",
        "http://xn--bcher-kva.example/x",
    ])
    func aHostBeyondAsciiIsSentInItsAsciiForm(text: String) async throws {
        let proxy = server.url
        let sender = try makeSender { $0.proxy = .url(proxy) }
        let ascii = try #require(URL(string: "http://xn--bcher-kva.example:80"))
        for url in [URL(parsing: text), URL(string: text)] {
            _ = try await sender.send(.get, try #require(url)).value
            let request = try #require(server.requests.last)
            #expect(request.target == "http://xn--bcher-kva.example/x")
            #expect(request.headers["Host"] == "xn--bcher-kva.example")
            #expect(Origin(try #require(url)) == Origin(ascii))
        }
    }

    @Test func aHostBeyondAsciiMayHaveAFixedAddress() async throws {
        let port = server.port
        let sender = try makeSender { $0.addresses.fixed = ["xn--bcher-kva.example:\(port)": ["127.0.0.1"]] }
        let url = try #require(URL(string: "http://b%C3%BCcher.example:\(port)/x"))
        #expect(try await sender.text(.get, url) == "here")
        #expect(server.requests.last?.headers["Host"] == "xn--bcher-kva.example:\(port)")
    }

    @Test(arguments: ["http://a%2Fb/", "http://a%20b/", "http://a%FF/", "http://a%25/", "http://%00/"])
    func aHostThatCantBeOneIsInvalid(text: String) async throws {
        let error = try await makeSender().expectFailure(.invalidUrl, try #require(URL(parsing: text)))
        #expect(error.reason == "the URL is not http or https, or has no host")
    }

    @Test(arguments: ["http://[::1]:1/", "http://[::1%25lo]:1/", "http://[fe80::1%lo]:1/"])
    func anIpv6AddressIsAHost(text: String) async throws {
        let url = try #require(URL(parsing: text))
        #expect(Origin(url).isAt(url.host ?? "", 1) || text.contains("%"))
        let error = try await makeSender().send(.get, url).end().error as? TransportError
        let code = try #require(error).code
        #expect([.connectionRefused, .cannotConnect, .noNetwork].contains(code))
    }
}
#endif
