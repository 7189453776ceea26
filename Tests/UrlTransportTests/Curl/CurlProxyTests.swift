#if os(Linux)
import NetChainTestKit
import NodeCore
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

    @Test func aSocksProxyThatSpeaksHttpHasFailed() async throws {
        let address = try url("socks5h://127.0.0.1:\(proxy.port)")
        let sender = try makeSender { $0.proxy = .url(address) }
        proxy.onConnect(.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)))
        try await sender.expectFailure(.proxyFailed, try url("http://nobody.invalid/x"))
    }
}
#endif
