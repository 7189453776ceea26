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

@Suite(.timeLimit(.minutes(1)))
struct LifeTests {
    @Test(arguments: SenderKind.allCases)
    func aCanceledRequestEndsItsConnection(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/")
        let sender = try kind.sender()
        let observer = sender.observed(server.request())
        let exchange = try await server.nextRequest("/")
        observer.cancel()
        #expect(observer.outcome?.isCanceled == true)
        try await exchange.clientClosed()
        server.on(.get, "/next", respond: .text("ok"))
        #expect(try await sender.observed(server.request(.get, "/next")).value.status == 200)
    }

    @Test(arguments: SenderKind.allCases)
    func anAnswerThatIsCanceledWhileItComesEndsItsConnection(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/")
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let options = RequestOptions { if $0.received > 0 { continuation.yield() } }
        let observer = try kind.sender().observed(server.request(options: options))
        let exchange = try await server.nextRequest("/")
        exchange.sendHead(headers: ["Content-Length": "10000000"])
        exchange.sendBody(Array(repeating: 0x61, count: 100_000))
        for await _ in started { break }
        observer.cancel()
        #expect(observer.outcome?.isCanceled == true)
        try await exchange.clientClosed()
    }

    @Test(arguments: SenderKind.withoutFoundationNetworking)
    func aRequestThatWaitsInLineIsCanceledUnsent(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("*")
        let sender = try kind.sender { $0.limits.requestsPerOrigin = 1 }
        let first = sender.observed(server.request(.get, "/first"))
        let exchange = try await server.nextRequest("/first")
        let second = sender.observed(server.request(.get, "/second"))
        let third = sender.observed(server.request(.get, "/third"))
        second.cancel()
        exchange.respond(.text("ok"))
        #expect(try await first.value.status == 200)
        try await server.nextRequest("/third").respond(.text("ok"))
        #expect(try await third.value.status == 200)
        #expect(second.outcome?.isCanceled == true)
        #expect(server.requestCount("/second") == 0)
    }

    @Test(arguments: SenderKind.allCases)
    func aClosedSenderFailsWhatIsUnderWayAndWhatComesLater(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/")
        let sender = try kind.sender()
        let observers = (0..<3).map { _ in sender.observed(server.request()) }
        try await server.waitForRequests(3, "/")
        sender.close()
        for observer in observers {
            let error = await thrown(TransportError.self) { try await observer.value }
            #expect(error?.code == .senderClosed)
        }
        try await server.waitForConnections(open: 0)
        #expect(await sender.failure(server.request()) == .senderClosed)
        sender.close()
        #expect(server.counts.requests == 3)
    }

    @Test(arguments: SenderKind.allCases)
    func aSenderThatIsDroppedBringsItsRequestsToTheirEnd(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/")
        var sender: (any RequestSender)? = try kind.sender()
        let observer = sender?.observed(server.request())
        let exchange = try await server.nextRequest("/")
        sender = nil
        exchange.respond(.text("still here"))
        #expect(try await observer?.value.data == Data("still here".utf8))
        try await server.waitForConnections(open: 0)
    }

    @Test(arguments: SenderKind.allCases)
    func aSenderThatIsDroppedStillFollowsRedirects(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/old")
        server.on(.get, "/new", respond: .text("here"))
        var sender: (any RequestSender)? = try kind.sender()
        let observer = sender?.observed(server.request(.get, "/old"))
        let exchange = try await server.nextRequest("/old")
        sender = nil
        exchange.respond(.redirect(to: "/new"))
        #expect(try await observer?.value.data == Data("here".utf8))
        try await server.waitForConnections(open: 0)
    }

    @Test(arguments: SenderKind.allCases)
    func aSenderThatIsClosedWhileRequestsComeFailsThemAll(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("*")
        let sender = try kind.sender()
        await withTaskGroup(of: TransportError.Code?.self) { group in
            for _ in 0..<100 { group.addTask { await sender.failure(server.request()) } }
            group.addTask {
                sender.close()
                return .senderClosed
            }
            for await code in group { #expect(code == .senderClosed) }
        }
    }

    @Test(arguments: SenderKind.allCases)
    func anObserverThatIsDroppedEndsNothing(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.post, "/", respond: .text("ok"))
        let sender = try kind.sender()
        let completed = AsyncStream.makeStream(of: Int.self)
        sender.observed(server.request(.post)).onCompleted { completed.continuation.yield($0.status) }
        for await status in completed.stream {
            #expect(status == 200)
            break
        }
    }

    @Test(arguments: SenderKind.allCases)
    func manyRequestsMayBeCanceledWhileTheyRun(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .text("ok"))
        let sender = try kind.sender()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let observer = sender.observed(server.request())
                    if number % 2 == 0 { observer.cancel() }
                    let outcome = await Task { try await observer.value }.result
                    if number % 2 == 1 { #expect(throws: Never.self) { try outcome.get() } }
                }
            }
        }
        #expect(try await sender.observed(server.request()).value.status == 200)
    }
}
