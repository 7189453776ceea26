import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.needs(.proxy, .socks, .nginx, .nginxTls, .authorities))
struct ProxyTests {
    private static let proxies = [ServerVariable.proxy, .socks]

    private func sender(through proxy: URL) throws -> CurlRequestSender {
        try CurlRequestSender(configuration: .tls { $0.proxy = .url(proxy) })
    }

    private func echo(_ server: ServerVariable, through sender: CurlRequestSender) async throws -> Echo {
        let chain: Node<Void, Echo> = try request(server, "/echo", with: sender).build()
        return try await chain.execute()
    }

    @Test(arguments: proxies, [(ServerVariable.nginx, "HTTP/1.1"), (.nginxTls, "HTTP/2.0")])
    func requestsReachTheServerOverOneConnection(proxy: ServerVariable, way: (ServerVariable, String)) async throws {
        let sender = try sender(through: proxy.url)
        let echoes = [try await echo(way.0, through: sender), try await echo(way.0, through: sender)]
        #expect(echoes.map(\.protocol) == [way.1, way.1])
        // tinyproxy sends each request without TLS over a new connection.
        if way.0 == .nginxTls || proxy == .socks { #expect(Set(echoes.map(\.connection)).count == 1) }
    }

    @Test(arguments: proxies)
    func aLargeBodyIsSentAndReceived(proxy: ServerVariable) async throws {
        let sender = try sender(through: proxy.url)
        let response = try await sender.observed(rawRequest(.post, .nginxTls, "/raw-body", body: .data(blob))).value
        #expect(response.data == blob)
    }

    /// Nothing has reached the server, and the error doesn't name the password.
    @Test(arguments: proxies, [ServerVariable.nginx, .nginxTls])
    func aWrongPasswordIsTheProxysFailure(proxy: ServerVariable, server: ServerVariable) async throws {
        var address = try #require(URLComponents(url: proxy.url, resolvingAgainstBaseURL: false))
        address.password = "hunter2"
        let sender = try sender(through: try #require(address.url))
        if server == .nginx, proxy == .proxy {
            // Without a tunnel, the proxy's response is the response: tinyproxy's is 401.
            #expect(try await sender.observed(rawRequest(server, "/echo")).value.status == 401)
            return
        }
        let error = await thrown(TransportError.self) { try await sender.observed(rawRequest(server, "/echo")).value }
        #expect(error?.code == .proxyFailed)
        #expect(error?.wasProcessed == .no)
        #expect(error.map { !"\($0) \($0.cause.map { "\($0)" } ?? "")".contains("hunter2") } == true)
    }

    /// tinyproxy wants a password, which is in the request here. The server in the tunnel must not receive it.
    @Test func credentialsInTheRequestAreForTheProxyOnly() async throws {
        var address = try #require(URLComponents(url: ServerVariable.proxy.url, resolvingAgainstBaseURL: false))
        let password = Data("\(address.user ?? ""):\(address.password ?? "")".utf8).base64EncodedString()
        (address.user, address.password) = (nil, nil)
        let url = try #require(address.url)
        let sender = try CurlRequestSender(
            configuration: .tls {
                $0.proxy = .url(url)
                $0.httpVersion = .http1
            })
        var request = try rawRequest(.nginxTls, "/raw-headers")
        request.headers["Proxy-Authorization"] = "Basic \(password)"
        let response = try await sender.send(request)
        #expect(response.status == 200)
        let text = String(decoding: response.data, as: UTF8.self)
        #expect(text.contains("User-Agent") && !text.contains("Proxy-") && !text.contains(password))
    }
}
