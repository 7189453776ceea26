#if os(Linux)
import Glibc
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

struct CurlProxyTests {
    private let proxy: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        let proxy = try LoopbackServer()
        self.proxy = proxy
        sender = try makeSender { $0.proxy = .url(proxy.url) }
    }

    private func url(_ text: String) throws -> URL {
        try #require(URL(string: text))
    }

    @Test func aProxyIsAskedForTheWholeUrl() async throws {
        proxy.on(.get, "*", respond: .text("by proxy"))
        #expect(try await sender.text(.get, try url("http://nobody.invalid/x?a=1")) == "by proxy")
        let request = try #require(proxy.requests.last)
        #expect(request.target == "http://nobody.invalid/x?a=1")
        #expect(request.headers["Host"] == "nobody.invalid")
        #expect(request.headers["User-Agent"] == "NetChainKit")
        #expect(try await sender.text(.get, try url("http://somebody.invalid:81/y/../x")) == "by proxy")
        #expect(proxy.requests.last?.target == "http://somebody.invalid:81/y/../x")
    }

    @Test func aProxyThatIsNotThereHasFailed() async throws {
        let address = try ClosedPort.url("")
        for target in ["http://nobody.invalid/x", "https://nobody.invalid/x"] {
            let sender = try makeSender { $0.proxy = .url(address) }
            try await sender.expectFailure(.proxyFailed, try url(target))
        }
    }

    @Test(arguments: [302, 403, 407, 502])
    func aProxyThatRefusesATunnelHasFailed(status: Int) async throws {
        proxy.on("CONNECT", "*", respond: .text("no", status: status))
        try await sender.expectFailure(.proxyFailed, try url("https://nobody.invalid/x"))
        #expect(proxy.requests.count == 1)
        #expect(proxy.requests.last?.target == "nobody.invalid:443")
        #expect(proxy.requests.last?.headers["Authorization"] == nil)
        #expect(proxy.requests.last?.headers["User-Agent"] == "NetChainKit")
    }

    // Parts of a response to CONNECT, or other than one.
    private static let noTunnels: [LoopbackResponse] = [
        .raw("").closing(), .raw("HTTP/1.1 200 O").closing(), .raw("hello").closing(),
        .raw("HTTP/1.1 200 OK\r\nX-A: 1\r\n").closing(), .raw("HTTP/1.1 103 Early Hints\r\n\r\n").closing(),
        .raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"), .raw("SSH-2.0-x\r\n\r\n"),
        .raw("HTTP/1.1 200 OK\r\nX-A: \(String(repeating: "a", count: 1 << 17))\r\n\r\n"),
        .raw(
            "HTTP/1.1 200 OK\r\n\(String(repeating: "X-A: \(String(repeating: "a", count: 999))\r\n", count: 400))\r\n"),
        .raw("HTTP/1.1 502 Bad Gateway\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
    ]

    @Test(arguments: noTunnels)
    func aProxyThatMakesNoTunnelHasFailed(response: LoopbackResponse) async throws {
        proxy.on("CONNECT", "*", respond: response)
        for method in [HttpMethod.get, .post] {
            let error = try await sender.expectFailure(.proxyFailed, method, try url("https://nobody.invalid/x"))
            #expect(error.reason.hasPrefix("the proxy failed ("))
            #expect(error.wasProcessed == .no)
        }
        #expect(proxy.requests.count == 2)
    }

    @Test(arguments: [LoopbackConnectRule.close, .reset], ["http", "socks4", "socks5", "socks5h"])
    func aProxyThatEndsTheConnectionHasFailed(rule: LoopbackConnectRule, scheme: String) async throws {
        let address = try url("\(scheme)://127.0.0.1:\(proxy.port)")
        let sender = try makeSender { $0.proxy = .url(address) }
        proxy.onConnect(rule)
        let error = try await sender.expectFailure(.proxyFailed, try url("https://127.0.0.1:9/x"))
        #expect(error.wasProcessed == .no)
        #expect(proxy.counts.connectionsAccepted == 1)
    }

    /// A server behind the tunnel, or the tunnel itself: which of both can't be told.
    @Test func aConnectionThatBreaksInTheTunnelIsNoFailureOfTheProxy() async throws {
        proxy.on("CONNECT", "*", respond: .raw("HTTP/1.1 200 OK\r\n\r\n").closing())
        // libcurl 8.14 fails earlier where the system has no certificates.
        let address = proxy.url
        let sender = try makeSender {
            $0.proxy = .url(address)
            $0.tls.verifiesServer = false
        }
        let error = try await sender.expectFailure(.connectionLost, .get, try url("https://nobody.invalid/x"))
        #expect(error.wasProcessed == .no)
    }

    @Test func aSocksProxyThatSpeaksHttpHasFailed() async throws {
        let address = try url("socks5h://127.0.0.1:\(proxy.port)")
        let sender = try makeSender { $0.proxy = .url(address) }
        proxy.onConnect(.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)))
        try await sender.expectFailure(.proxyFailed, try url("http://nobody.invalid/x"))
    }

    // MARK: Proxy-Authorization of the request

    private static let credentials: HttpHeaders = ["proxy-authorization": "Basic YTpi", "X-A": "1"]

    /// RFC 9110 §11.7.2. The real proxy's test has a server behind the tunnel, too.
    @Test func credentialsForAProxyAreSentWithTheConnectOnly() async throws {
        proxy.on("CONNECT", "*", respond: .text("no", status: 407))
        let request = HttpRequest(method: .get, url: try url("https://nobody.invalid/x"), headers: Self.credentials)
        let error = await thrown(TransportError.self) { try await sender.send(request) }
        #expect(error?.code == .proxyFailed)
        let connect = try #require(proxy.requests.last)
        #expect(connect.method.rawValue == "CONNECT")
        #expect(connect.headers["Proxy-Authorization"] == "Basic YTpi")
        #expect(connect.headers["X-A"] == nil)
    }

    @Test func credentialsForAProxyAreSentToItWithoutATunnel() async throws {
        proxy.on(.get, "*", respond: .text("by proxy"))
        let request = HttpRequest(method: .get, url: try url("http://nobody.invalid/x"), headers: Self.credentials)
        _ = try await sender.send(request)
        #expect(proxy.requests.last?.headers.values(of: "Proxy-Authorization") == ["Basic YTpi"])
        #expect(proxy.requests.last?.headers["X-A"] == "1")
    }

    @Test func credentialsForAProxyOutliveARedirectToAnotherOrigin() async throws {
        proxy.on(.get, "*") { request in
            let isFirst = request.target.hasPrefix("http://first.invalid/")
            return isFirst ? .redirect(to: "http://second.invalid/y") : .text("by proxy")
        }
        let headers: HttpHeaders = ["Proxy-Authorization": "Basic YTpi", "Authorization": "Bearer s"]
        let request = HttpRequest(method: .get, url: try url("http://first.invalid/x"), headers: headers)
        #expect(try await sender.send(request).text == "by proxy")
        #expect(
            proxy.requests.map { $0.headers.values(of: "Proxy-Authorization") } == [["Basic YTpi"], ["Basic YTpi"]])
        #expect(proxy.requests.map { $0.headers["Authorization"] } == ["Bearer s", nil])
    }

    @Test func withoutAProxyItsCredentialsAreNotSent() async throws {
        proxy.on(.get, "*", respond: .text("direct"))
        let request = HttpRequest(method: .get, url: proxy.url("/x"), headers: Self.credentials)
        _ = try await makeSender { $0.proxy = .none }.send(request)
        #expect(proxy.requests.last?.headers["Proxy-Authorization"] == nil)
        #expect(proxy.requests.last?.headers["X-A"] == "1")
    }

    // MARK: Passwords

    @Test(arguments: ["http://bob:hunter2@h:99999", "socks5h://bob:hunter2@h:99999", "http://bob:hun%40ter2@h:99999"])
    func aProxyThatLibcurlRejectsIsQuotedWithoutItsPassword(address: String) async throws {
        let address = try url(address)
        let sender = try makeSender { $0.proxy = .url(address) }
        let error = try await sender.expectFailure(.proxyFailed, try url("http://nobody.invalid/x"))
        for text in [error.reason, "\(try #require(error.cause))"] {
            #expect(text.contains("***@h:99999") && !text.contains("ter2"), "\(text)")
        }
    }

    #if compiler(>=6.2)  // Exit tests.
    @Test func aMalformedProxyOfTheEnvironmentIsQuotedWithoutItsPassword() async throws {
        await #expect(processExitsWith: .success) {
            let addresses = [
                "bob:hunter2/x@h:3128", "bob:hunter2 x@h:3128", "bob:hunter2#@h:3128", "bob:hunter2", "hunter2 hunter2",
                "http://bob:hunter2@[::1", "ftp://bob:hunter2@h", "http://bob:hunter2@@h:x", "bob:hunter2'@h:x",
                "bob:\(String(repeating: "hunter2@", count: 100))h:x",
            ]
            for name in ["http_proxy", "https_proxy", "all_proxy"] {
                for other in ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"] { unsetenv(other) }
                for address in addresses {
                    setenv(name, address, 1)
                    let scheme = name == "https_proxy" ? "https" : "http"
                    let sender = try makeSender { $0.proxy = .environment }
                    let target = try #require(URL(string: "\(scheme)://nobody.invalid/x"))
                    let error = await thrown(TransportError.self) { try await sender.send(.get, target).value }
                    #expect(error?.code == .proxyFailed || error?.code == .cannotConnect, "\(address): \(error as Any)")
                    for text in ["\(try #require(error))", error?.errorDescription ?? "", "\(error?.cause as Any)"] {
                        #expect(!text.contains("hunter2"), "\(text)")
                    }
                }
            }
        }
    }
    #endif
}
#endif
