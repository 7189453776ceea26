#if os(Linux)
import NetChainTestKit
import Testing
import UrlTransport

struct CurlLoopTests {
    @Test func requestsOfOneOriginStayOnOneThread() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/") { _ in .text("here") }
        let sender = try makeSender { $0.threads = 4 }
        for _ in 0..<8 { #expect(try await sender.text(.get, server.url("/")) == "here") }
        #expect(server.counts.connectionsAccepted == 1)
    }
}
#endif
