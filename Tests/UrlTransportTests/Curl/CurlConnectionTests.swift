#if os(Linux)
import Logging
import NetChainTestKit
import NodeCore
import ResponseProcessing
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What connections are used for, and what becomes of those that die or lie.
struct CurlConnectionTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/ok", respond: .text("ok"))
        sender = try makeSender()
    }

    @Test func oneConnectionServesOneRequestAfterTheOther() async throws {
        for method: HttpMethod in [.get, .post, .head, .put, .delete, "PURGE"] {
            _ = try await sender.send(method, server.url("/ok")).value
        }
        #expect(server.counts.connectionsAccepted == 1)
        #expect(server.requests.map(\.indexOnConnection) == [0, 1, 2, 3, 4, 5])
    }

    @Test func aSlowAnswerDoesNotKeepOthersWaiting() async throws {
        server.hold("/held")
        let slow = sender.send(.get, server.url("/held"))
        let exchange = try await server.nextRequest("/held")
        #expect(try await sender.text(.get, server.url("/ok")) == "ok")
        exchange.respond(.text("slow"))
        #expect(try await slow.value.text == "slow")
        #expect(server.counts.connectionsAccepted == 2)
    }

    @Test func aConnectionThatTheServerWantsClosedIsNotUsedAgain() async throws {
        server.on(.get, "/last", respond: .text("last").header("Connection", "close").closing())
        for _ in 0..<2 { #expect(try await sender.text(.get, server.url("/last")) == "last") }
        #expect(server.counts.connectionsAccepted == 2)
    }

    /// The server closes an idle connection at once, or after a minute.
    @Test(arguments: [("timeout=0", 2), ("timeout=60, max=100", 1), ("max=100", 1), ("timeout=-1", 1)])
    func anAnnouncedEndOfTheConnectionIsHeeded(announcement: String, connections: Int) async throws {
        server.on(.any, "/brief", respond: .text("ok").header("Keep-Alive", announcement))
        for _ in 0..<2 { _ = try await sender.send(.post, server.url("/brief")).value }
        #expect(server.counts.connectionsAccepted == connections)
    }

    @Test func aServerThatClosesAtOnceIsALostConnection() async throws {
        for _ in 0..<50 {
            server.onConnect(.close, .close, .close, .close)
            let error = await sender.send(.post, server.url("/ok")).end().error as? TransportError
            #expect(error?.code == .connectionLost)
        }
    }

    @Test func aCanceledRequestReportsNoProgress() async throws {
        server.hold("/held")
        let steps = Gathered<TransferProgress>()
        let request = sender.send(
            .put, server.url("/held"), body: .data(Data(count: 10)), options: RequestOptions { steps.append($0) })
        _ = try await server.nextRequest("/held")
        // Longer than the time between two reports.
        try await Task.sleep(for: .milliseconds(100))
        let before = steps.all.count
        request.cancel()
        _ = try await sender.send(.get, server.url("/ok")).value
        #expect(steps.all.count == before)
    }

    @Test func aHopThatIsRestartedReportsNoProgress() async throws {
        server.on(.any, "/brief", respond: .text("ok").header("Keep-Alive", "timeout=0"))
        let start = ContinuousClock.now
        let steps = Gathered<TransferProgress>()
        for _ in 0..<2 {
            _ = try await sender.send(
                .get, server.url("/brief"), options: RequestOptions { steps.append($0) }
            ).value
        }
        #expect(server.counts.connectionsAccepted == 2)
        // One call at the end of each exchange, and at most one each 50 ms.
        #expect(steps.all.count <= 2 + Int((.now - start) / Duration.milliseconds(50)))
    }

    @Test(arguments: [true, false])
    func anOldConnectionIsNotUsedAgain(limitsIdleTime: Bool) async throws {
        let sender = try makeSender {
            if limitsIdleTime {
                $0.connections.idleTimeout = .seconds(1)
            } else {
                $0.connections.lifetime = .seconds(1)
            }
        }
        _ = try await sender.send(.get, server.url("/ok")).value
        // libcurl counts whole seconds.
        try await Task.sleep(for: .milliseconds(2_100))
        _ = try await sender.send(.get, server.url("/ok")).value
        #expect(server.counts.connectionsAccepted == 2)
    }

    /// No later request is needed for it, whether or not another one is in progress.
    @Test(arguments: [false, true])
    func anIdleConnectionIsClosedByATimer(besideAnother: Bool) async throws {
        let sender = try makeSender { $0.connections.idleTimeout = .seconds(1) }
        let other = try LoopbackServer()
        other.hold("/held")
        let held = sender.send(.get, other.url("/held"))
        let exchange = try await other.nextRequest("/held")
        if !besideAnother {
            exchange.respond(.text("x"))
            _ = try await held.value
        }
        #expect(try await sender.text(.get, server.url("/ok")) == "ok")
        try await server.waitForConnections(open: 0)
        #expect(try await sender.text(.get, server.url("/ok")) == "ok")
        #expect(server.counts.connectionsAccepted == 2)
        if besideAnother {
            exchange.respond(.text("x"))
            #expect(try await held.value.text == "x")
        }
        try await other.waitForConnections(open: 0)
    }

    @Test func afterAChangeOfTheNetworkRequestsUseNewConnections() async throws {
        server.hold("/held")
        let slow = sender.send(.get, server.url("/held"))
        let exchange = try await server.nextRequest("/held")
        _ = try await sender.send(.get, server.url("/ok")).value
        #expect(server.counts.connectionsAccepted == 2)
        sender.resetConnections()
        _ = try await sender.send(.post, server.url("/ok")).value
        #expect(server.counts.connectionsAccepted == 3)
        exchange.respond(.text("slow"))
        #expect(try await slow.value.text == "slow")
    }

    @Test func fixedAddressesAreNotLookedUp() async throws {
        let name = "nowhere.invalid"
        let sender = try makeSender { $0.addresses.fixed = ["\(name):\(server.port)": ["127.0.0.1"]] }
        let url = try #require(URL(string: "http://\(name):\(server.port)/ok"))
        #expect(try await sender.text(.get, url) == "ok")
        #expect(server.requests.last?.headers["Host"] == "\(name):\(server.port)")
        // A timeout casts doubt on looked up addresses, not on fixed ones.
        server.hold("/held")
        let held = HttpRequest(
            method: .get, url: url.deletingLastPathComponent().appending(path: "held"),
            options: RequestOptions(timeout: .milliseconds(200)))
        #expect(await thrown(TransportError.self) { try await sender.observed(held).value }?.code == .requestTimedOut)
        #expect(try await sender.text(.get, url) == "ok")
        let other = try #require(URL(string: "http://other.invalid:\(server.port)/ok"))
        #expect(await thrown(TransportError.self) { try await sender.send(.get, other).value }?.code == .hostNotFound)
    }

    @Test func onlyAddressesOfTheFamilyAreUsed() async throws {
        let url = try #require(URL(string: "http://localhost:\(server.port)/ok"))
        let ipv4 = try makeSender { $0.addresses.family = .ipv4 }
        #expect(try await ipv4.text(.get, url) == "ok")
        let ipv6 = try makeSender { $0.addresses.family = .ipv6 }
        await #expect(throws: TransportError.self) { try await ipv6.send(.get, url).value }
    }

    @Test func connectionsStartAtTheInterface() async throws {
        let local = try makeSender { $0.addresses.interface = "127.0.0.2" }
        #expect(try await local.text(.get, server.url("/ok")) == "ok")
        let missing = try makeSender { $0.addresses.interface = "nonexistent0" }
        let error = await thrown(TransportError.self) { try await missing.send(.get, server.url("/ok")).value }
        #expect(error?.code == .cannotConnect)
        #expect(error?.wasProcessed == .no)
    }

    @Test(arguments: [false, true])
    func aConnectionThatWasClosedMeanwhileIsNotUsedAgain(resetting: Bool) async throws {
        for method: HttpMethod in [.get, .post, .post] {
            #expect(try await sender.text(method, server.url("/ok")) == "ok")
            try await server.closeIdleConnections(resetting: resetting)
        }
        #expect(server.counts.connectionsAccepted == 3)
        #expect(server.requestCount("/ok") == 3)
    }

    @Test func connectionsInUseLeaveRoomForOneToKeep() async throws {
        let sender = try makeSender { $0.connections.maxIdle = 1 }
        server.hold("/held")
        var held: [Observer<HttpResponse>] = []
        var exchanges: [LoopbackExchange] = []
        for _ in 0..<3 {
            held.append(sender.send(.get, server.url("/held")))
            exchanges.append(try await server.nextRequest("/held"))
        }
        for _ in 0..<3 { #expect(try await sender.text(.get, server.url("/ok")) == "ok") }
        // 6 where each that comes free is closed. One may be too much: a request can be quicker than the loop, which looks
        // at its limits between turns.
        #expect(server.counts.connectionsAccepted <= 5)
        for exchange in exchanges { exchange.respond(.text("held")) }
        for request in held { #expect(try await request.value.text == "held") }
    }

    @Test func aRequestLeavesNothingToTheNextOne() async throws {
        let url = server.url("/ok")
        let plain = HttpRequest(method: .get, url: url, headers: ["X-Mark": "1"])
        for _ in 0..<2 { _ = try await sender.observed(plain).value }
        _ = try await sender.send(.get, server.url("/ok?other")).value
        _ = try await sender.send(.post, url, headers: ["X-Mark": "2"], body: .data(Data("body".utf8))).value
        _ = try await sender.send(.get, url, options: RequestOptions(timeout: .seconds(60))).value
        _ = try await sender.observed(plain).value
        let requests = server.requests
        #expect(requests.map { $0.headers["X-Mark"] } == ["1", "1", nil, "2", nil, "1"])
        #expect(requests.map(\.target) == ["/ok", "/ok", "/ok?other", "/ok", "/ok", "/ok"])
        #expect(requests.map { "\($0.method)" } == ["GET", "GET", "GET", "POST", "GET", "GET"])
        #expect(requests.map { $0.text.count } == [0, 0, 0, 4, 0, 0])
        #expect(server.counts.connectionsAccepted == 1)
    }

    @Test func noConnectionIsKeptWhereNoneMayBe() async throws {
        let sender = try makeSender { $0.connections.maxIdle = 0 }
        for _ in 0..<2 {
            #expect(try await sender.text(.get, server.url("/ok")) == "ok")
            try await server.waitForConnections(open: 0)
        }
        #expect(server.counts.connectionsAccepted == 2)
    }

    @Test func onlySoManyConnectionsAreKept() async throws {
        server.hold("/held")
        let sender = try makeSender { $0.connections.maxIdle = 2 }
        let answers = (0..<5).map { _ in sender.send(.get, server.url("/held")) }
        var exchanges: [LoopbackExchange] = []
        for _ in 0..<5 { exchanges.append(try await server.nextRequest("/held")) }
        for exchange in exchanges { exchange.respond(.text("x")) }
        for answer in answers { _ = try await answer.value }
        try await server.waitForConnections(open: 2)
    }

    // MARK: A connection that dies on reuse

    /// Every request that the server saw, with where it came from.
    private var sightings: String {
        server.requests.map { request in
            let place =
                "connection \(request.connectionID) from port \(request.remotePort), #\(request.indexOnConnection)"
            let size = "\(request.bodyLength) bytes\(request.isComplete ? "" : ", cut")"
            return "\(request.method) \(request.target) on \(place), \(size)"
        }.joined(separator: "; ")
    }

    /// The first answer keeps the connection; the next request that comes over it gets none.
    private func dying(_ deaths: LoopbackResponse...) -> URL {
        server.on(.any, "/dying", inOrder: [.text("first")] + deaths + [.text("again")])
        return server.url("/dying")
    }

    @Test(arguments: [HttpMethod.get, .head, .put, .delete, .options])
    func anIdempotentRequestIsSentOnceMoreOnANewConnection(method: HttpMethod) async throws {
        for death in [LoopbackResponse.close, .reset] {
            let url = dying(death)
            let body = method == .put ? RequestBody.data(Data("body".utf8)) : .empty
            server.forgetRequests()
            for _ in 0..<2 {
                let response = try await sender.sendWithRetryNode(method, url, body: body)
                #expect(response.status == 200)
            }
            #expect(server.requests.count == 3)
            #expect(server.requests.allSatisfy { $0.text == (method == .put ? "body" : "") })
            #expect(server.requests.last?.indexOnConnection == 0)
        }
    }

    @Test func itIsSentOnceMoreOnly() async throws {
        for last in [LoopbackResponse.close, .reset] {
            let url = dying(.close, last)
            server.forgetRequests()
            _ = try await sender.send(.get, url).value
            let error = await thrown(TransportError.self) { try await sender.sendWithRetryNode(.get, url) }
            #expect(error?.code == .connectionLost)
            #expect(error?.attempt == 2)
            #expect(server.requests.count == 3)
        }
    }

    @Test func allIdleConnectionsMayDieAndTheNextTryIsOnANewOne() async throws {
        server.hold("/held")
        let answers = (0..<4).map { _ in sender.send(.get, server.url("/held")) }
        var exchanges: [LoopbackExchange] = []
        for _ in 0..<4 { exchanges.append(try await server.nextRequest("/held")) }
        for exchange in exchanges { exchange.respond(.text("x")) }
        for answer in answers { _ = try await answer.value }
        server.on(.any, "/picky") { $0.indexOnConnection > 0 ? .close : .text("new") }
        #expect(try await sender.sendWithRetryNode(.get, server.url("/picky")).text == "new")
        #expect(server.requestCount("/picky") == 2)
    }

    @Test(arguments: [HttpMethod.post, .patch, "PURGE"], ["", "body"])
    func anotherRequestIsNeverSentTwice(method: HttpMethod, body: String) async throws {
        for death in [LoopbackResponse.close, .reset] {
            let url = dying(death)
            server.forgetRequests()
            let body = body.isEmpty ? RequestBody.empty : .data(Data(body.utf8))
            _ = try await sender.send(method, url, body: body).value
            let error = await thrown(TransportError.self) {
                try await sender.sendWithRetryNode(method, url, body: body)
            }
            #expect(error?.code == .connectionLost)
            #expect(
                error?.reason
                    == "the connection was lost before a response; a \(method) request is not sent twice, because the "
                    + "server may have received it")
            #expect(server.requests("/dying").count == 2, "\(death): \(sightings)")
        }
    }

    @Test func aPostThatLostItsServerIsNotCalledRefused() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/x", inOrder: [.text("first"), .held])
        _ = try await sender.send(.post, server.url("/x")).value
        let answer = sender.send(.post, server.url("/x"), body: .data(Data("body".utf8)))
        _ = try await server.nextRequest("/x")
        server.stop()
        let error = try #require(await answer.end().error as? TransportError)
        #expect(error.code == .connectionLost, "\(error)")
    }

    @Test(arguments: [HttpMethod.get, .put, .post], [nil, RetryPolicy.never])
    func aSenderSendsOnceAndSoDoesThePolicyOfOneAttempt(method: HttpMethod, policy: RetryPolicy?) async throws {
        for death in [LoopbackResponse.close, .reset] {
            let url = dying(death)
            server.forgetRequests()
            _ = try await sender.send(method, url, headers: ["Idempotency-Key": "k"]).value
            let error = await thrown(TransportError.self) {
                let headers: HttpHeaders = ["Idempotency-Key": "k"]
                guard let policy else { return try await sender.send(method, url, headers: headers).value }
                return try await sender.sendWithRetryNode(method, url, headers: headers, policy: policy)
            }
            #expect(error?.code == .connectionLost)
            #expect(error?.wasProcessed == .unknown)
            let reason = "the connection was lost before a response; the server may have received the request"
            #expect(error?.reason == reason)
            #expect(server.requests.count == 2, "\(sightings)")
        }
    }

    @Test func aPostWithAnIdempotencyKeyIsSentOnceMore() async throws {
        let url = dying(.close)
        for _ in 0..<2 {
            _ = try await sender.sendWithRetryNode(
                .post, url, headers: ["idempotency-key": "k"], body: .data(Data("body".utf8)))
        }
        #expect(server.requests.map(\.text) == ["body", "body", "body"])
    }
}
#endif
