import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A log-out while a request is in progress.
@Suite(.timeLimit(.minutes(1)))
struct AdmissionTests {
    private struct LoggedOut: Error {}

    /// The admission to a session, which may end.
    private final class Pass: Admission {
        let gate = 1
        private let hasEnded = Mutex(false)

        var refusal: (any Error)? {
            hasEnded.withLock { $0 } ? LoggedOut() : nil
        }

        func end() {
            hasEnded.withLock { $0 = true }
        }
    }

    @Test(arguments: SenderKind.allCases)
    func aRedirectIsNotFollowedAfterALogOut(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/old")
        server.on(.get, "/new", respond: .text("here"))
        let pass = Pass()
        var request = server.request(.get, "/old")
        request.admissions = [pass]
        let sender = try kind.sender()
        let observer = sender.observed(request)
        let exchange = try await server.nextRequest("/old")
        pass.end()
        exchange.respond(.redirect(to: "/new"))
        await #expect(throws: LoggedOut.self) { try await observer.value }
        #expect(server.requestCount("/new") == 0)
    }

    @Test func aSpooledStreamIsNotSentAfterALogOut() async throws {
        let server = try LoopbackServer()
        server.on(.put, "/", respond: .text("ok"))
        let (pieces, piece) = AsyncStream<Data>.makeStream()
        let pass = Pass()
        var request = server.request(.put, body: .stream(pieces))
        request.admissions = [pass]
        let sender = try SenderKind.urlSession.sender()
        let observer = sender.observed(request)
        pass.end()
        piece.yield(Data("one".utf8))
        piece.finish()
        await #expect(throws: LoggedOut.self) { try await observer.value }
        #expect(server.counts.requests == 0)
    }
}
