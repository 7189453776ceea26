import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server that responds before it has read the request's body: the response counts.
@Suite(.needs(.nginx, .nginxTls, .authorities))
struct EarlyResponseTests {
    /// Before 8.14, libcurl loses some such responses of HTTP/2, also to small bodies.
    @Test func aBodyUsesHttp2WhereLibcurlKeepsTheResponse() async throws {
        let sender = try CurlRequestSender(configuration: .tls())
        let body = RequestBody.data(Data("body".utf8))
        let bare = try await sender.observed(rawRequest(.post, .nginxTls, "/echo")).value
        let response = try await sender.observed(rawRequest(.post, .nginxTls, "/echo", body: body)).value
        #expect(bare.metrics.httpVersion == "HTTP/2")
        #expect(response.metrics.httpVersion == (isLibcurl(atLeast: 8, 14) ? "HTTP/2" : "HTTP/1.1"))
    }

    @Test(arguments: [
        (ServerVariable.nginx, "/small-bodies", 413), (.nginx, "/echo", 200), (.nginxTls, "/small-bodies", 413),
        (.nginxTls, "/echo", 200),
    ])
    func theResponseCountsWhateverBecameOfTheBody(server: ServerVariable, path: String, status: Int) async throws {
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = .automatic })
        let body = RequestBody.data(Data(repeating: 0x78, count: 5 << 20))
        var failures: [String] = []
        for _ in 0..<40 {
            do {
                let received = try await sender.observed(rawRequest(.post, server, path, body: body)).value
                #expect(received.status == status)
            } catch {
                failures.append("\(error)")
            }
        }
        #expect(failures.isEmpty, "\(failures.count): \(Set(failures).prefix(3))")
    }
}
