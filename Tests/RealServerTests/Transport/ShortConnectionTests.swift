import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server that ends each connection after 50 requests: no request fails that it has not processed.
@Suite(.needs(.nginxShort, .authorities))
struct ShortConnectionTests {
    /// Without an observed GOAWAY, a fifth of the POSTs over HTTP/2 would fail. Some may: nginx can close a connection
    /// before libcurl has read its GOAWAY, and then it is unknown what was processed. A GET is sent once more then, and
    /// fails only if it meets the same again. Over HTTP/1 the last response of a connection announces the close.
    @Test(
        arguments: [HttpMethod.get, .post],
        [.automatic, .http1, .http2PriorKnowledge] as [CurlConfiguration.HttpVersion])
    func requestsThatTheServerHasNotProcessedAreSentAgain(method: HttpMethod, version: CurlConfiguration.HttpVersion)
        async throws
    {
        let sender = try CurlRequestSender(configuration: .tls { $0.httpVersion = version })
        let request = try rawRequest(
            method, .nginxShort, "/users", body: method == .post ? .data(Data("body".utf8)) : .empty)
        let chain = sender.withRetryNode
        var failures: [String] = []
        try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<2_000 {
                if number >= 64, let failure = try await group.next() ?? nil { failures.append(failure) }
                group.addTask {
                    do {
                        _ = try await chain.execute(request)
                        return nil
                    } catch {
                        return "\(error)"
                    }
                }
            }
            for try await failure in group { if let failure { failures.append(failure) } }
        }
        // With `automatic`, the body uses HTTP/1 then.
        let isHttp1 = version == .http1 || version == .automatic && method == .post && !isLibcurl(atLeast: 8, 14)
        let most = isHttp1 ? 0 : method == .post ? 100 : 2
        #expect(failures.count <= most, "\(failures.count): \(Set(failures).prefix(4))")
    }
}
