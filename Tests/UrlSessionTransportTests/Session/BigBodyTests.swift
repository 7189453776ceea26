import NetChainTestKit
import NodeCore
import Testing
import UrlSessionTransport
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct BigBodyTests {
    @Test func whatWouldNeedTheMemoryIsRefusedBeforeAnythingIsSent() async throws {
        let server = try LoopbackServer()
        let sender = try UrlSessionRequestSender()
        let file = FileManager.default.temporaryDirectory.appending(path: "netchain-\(UInt64.random(in: 0 ... .max))")
        for request in [
            server.request(.put, body: .stream(ByteStream(Data([1])))),
            server.request(options: RequestOptions(destination: .file(file))),
            server.request(options: RequestOptions(destination: .file(file, resuming: true))),
            server.request(options: RequestOptions(destination: .stream)),
        ] {
            #expect(await sender.failure(request) == .invalidRequest)
        }
        #expect(server.counts.requests == 0)
    }
}
