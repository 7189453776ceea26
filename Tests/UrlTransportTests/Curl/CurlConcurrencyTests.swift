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

struct CurlConcurrencyTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        server.on(.get, "/echo/:id") { .text($0.parameters["id"] ?? "") }
        sender = try makeSender()
    }

    @Test func aThousandRequestsAtOnceGetTheirOwnAnswers() async throws {
        let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for index in 0..<1000 {
                group.addTask { (index, try await sender.text(.get, server.url("/echo/\(index)"))) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(answers == Dictionary(uniqueKeysWithValues: (0..<1000).map { ($0, "\($0)") }))
        let used = Set(server.requests.map(\.connectionID))
        #expect(server.counts.connectionsOpenAtMost <= 64, "\(used.count) of them were used")
        #expect(server.requests.count == 1000)
    }

    /// An origin with more connections than a multi handle may have is in two. Both keep their connections.
    @Test func connectionsOfSeveralMultiHandlesAreUsedAgain() async throws {
        try allowDescriptors(4_096)
        let count = 600
        let sender = try makeSender {
            $0.limits.requestsPerOrigin = count
            $0.connections.maxIdle = count
        }
        server.hold("/held")
        for round in 0..<2 {
            let held = (0..<count).map { _ in sender.send(.get, server.url("/held")) }
            for _ in held { try await server.nextRequest("/held").respond(.text("\(round)")) }
            for answer in held { #expect(try await answer.value.text == "\(round)") }
        }
        #expect(server.counts.connectionsAccepted <= count)
    }

    /// All multi handles share the limit of idle connections. Requests that end at once may leave more until others end.
    @Test func severalMultiHandlesKeepNoMoreConnectionsThanAllowed() async throws {
        try allowDescriptors(4_096)
        let sender = try makeSender {
            $0.limits.requestsPerOrigin = 600
            $0.connections.maxIdle = 20
        }
        server.hold("/held")
        let held = (0..<600).map { _ in sender.send(.get, server.url("/held")) }
        var exchanges: [LoopbackExchange] = []
        for _ in held { exchanges.append(try await server.nextRequest("/held")) }
        for exchange in exchanges { exchange.respond(.text("")) }
        for answer in held { _ = try await answer.value }
        for _ in 0..<480 { _ = try await sender.send(.get, server.url("/")).value }
        try await server.waitForConnections(open: 20)
    }

    enum EndOfMany: String, CaseIterable, CustomTestStringConvertible {
        case canceled
        case timedOut
        case connectionLost

        var testDescription: String { rawValue }
    }

    /// More than one batch of the event loop, in several multi handles.
    @Test(arguments: EndOfMany.allCases)
    func manyThatEndAtOnceHaveOneEndEach(_ end: EndOfMany) async throws {
        try allowDescriptors(4_096)
        let sender = try makeSender {
            $0.limits.requestsPerOrigin = 700
            if end == .timedOut { $0.timeouts.request = .seconds(2) }
        }
        server.hold("/held")
        let held = (0..<600).map { _ in sender.send(.post, server.url("/held")) }
        var exchanges: [LoopbackExchange] = []
        if end != .timedOut { for _ in held { exchanges.append(try await server.nextRequest("/held")) } }
        switch end {
        case .canceled: for answer in held { answer.cancel() }
        case .timedOut: break
        case .connectionLost: for exchange in exchanges { exchange.reset() }
        }
        for answer in held {
            let outcome = await answer.end()
            switch (end, outcome) {
            case (.canceled, .canceled): break
            case (.timedOut, .failed(let error as TransportError)): #expect(error.code == .requestTimedOut)
            case (.connectionLost, .failed(let error as TransportError)):
                #expect(error.code == .connectionLost)
                #expect(error.wasProcessed == .unknown)
            default: Issue.record("\(outcome)")
            }
        }
        #expect(try await sender.text(.get, server.url("/echo/x")) == "x")
        try await server.waitForConnections(open: 1)
    }

    /// Raises the process's limit of open files, which is 1,024 on many systems.
    private func allowDescriptors(_ count: rlim_t) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < count else { return }
        limit.rlim_cur = min(count, limit.rlim_max)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    }

    @Test func manyThatWaitAreAllAnsweredAndHoldUpNobody() async throws {
        let sender = try makeSender {
            $0.limits.requestsPerOrigin = 400
            $0.connections.maxIdle = 400
        }
        server.hold("/held")
        for round in 0..<2 {
            let held = (0..<300).map { _ in sender.send(.get, server.url("/held")) }
            var exchanges: [LoopbackExchange] = []
            for _ in held { exchanges.append(try await server.nextRequest("/held")) }
            for index in 0..<30 {
                #expect(try await sender.text(.get, server.url("/echo/\(index)")) == "\(index)")
            }
            for answer in held[200...] { answer.cancel() }
            try await server.waitForConnections(open: 201)
            for exchange in exchanges { exchange.respond(.text("held \(round)")) }
            for answer in held[..<200] { #expect(try await answer.value.text == "held \(round)") }
            let answers = (0..<100).map { sender.send(.get, server.url("/echo/\($0)")) }
            for (index, answer) in answers.enumerated() { #expect(try await answer.value.text == "\(index)") }
        }
        // 301 in the first round, and those that were canceled once more.
        #expect(server.counts.connectionsAccepted == 401)
    }

    /// All multi handles of an event loop have the same cookies.
    @Test func cookiesAndConnectionsAreKeptBesideManyOthers() async throws {
        let sender = try makeSender {
            $0.limits.requestsPerOrigin = 400
            $0.cookies = .memory
        }
        server.hold("/held")
        server.on(.get, "/set/:id") { .text("set").header("Set-Cookie", "id=\($0.parameters["id"] ?? ""); Path=/") }
        let held = (0..<300).map { _ in sender.send(.get, server.url("/held")) }
        var exchanges: [LoopbackExchange] = []
        for _ in held { exchanges.append(try await server.nextRequest("/held")) }
        for index in 0..<5 {
            _ = try await sender.send(.get, server.url("/set/\(index)")).value
            _ = try await sender.send(.get, server.url("/echo/\(index)")).value
            #expect(server.requests.last?.headers["Cookie"] == "id=\(index)")
        }
        #expect(server.counts.connectionsAccepted == 301)
        for exchange in exchanges { exchange.respond(.text("held")) }
        for answer in held { #expect(try await answer.value.text == "held") }
    }

    /// The connection of a canceled request is closed, also where connections are many: its answer, which comes late, must
    /// not become another's.
    @Test(arguments: [1, 160])
    func aCanceledRequestsAnswerReachesNobody(held count: Int) async throws {
        let sender = try makeSender { $0.limits.requestsPerOrigin = 200 }
        server.hold("/held")
        let held = (0..<count).map { _ in sender.send(.get, server.url("/held")) }
        var exchanges: [LoopbackExchange] = []
        for _ in held { exchanges.append(try await server.nextRequest("/held")) }
        #expect(try await sender.text(.get, server.url("/echo/first")) == "first")
        held[0].cancel()
        try await server.waitForConnections(open: count)
        let others = (0..<10).map { sender.send(.get, server.url("/echo/\($0)")) }
        for exchange in exchanges { exchange.respond(.text("late")) }
        for (index, other) in others.enumerated() { #expect(try await other.value.text == "\(index)") }
        for answer in held.dropFirst() { #expect(try await answer.value.text == "late") }
    }

    @Test func aListenerMaySendFromTheSendersThread() async throws {
        let done = Context<[String]>()
        let texts = Gathered<String>()
        @Sendable func next(_ number: Int) {
            sender.send(.get, server.url("/echo/\(number)")).onCompleted { response in
                texts.append(response.text)
                if number < 100 { next(number + 1) } else { done.emit(data: texts.all) }
            }
        }
        next(1)
        #expect(try await done.observer.value == (1...100).map { "\($0)" })
        #expect(server.counts.connectionsAccepted == 1)
    }

    @Test func aListenerMaySendManyAndCancelSome() async throws {
        let all = try await sender.send(.get, server.url("/echo/0")).flatMap { [sender, server] _ in
            let answers = (0..<50).map { sender.send(.get, server.url("/echo/\($0)")) }
            for answer in answers[..<10] { answer.cancel() }
            return answers[10...].dropFirst().reduce(answers[10].map { [$0.text] }) { all, answer in
                all.combine(answer).map { $0.0 + [$0.1.text] }
            }
        }.value
        #expect(all == (10..<50).map { "\($0)" })
    }

    @Test func aListenerMayCloseTheSender() async throws {
        let answer = sender.send(.get, server.url("/echo/1"))
        answer.onCompleted { [sender] _ in sender.close() }
        #expect(try await answer.value.text == "1")
        try await sender.expectFailure(.senderClosed, server.url("/echo/2"))
    }

    @Test func aSendWhileOthersCloseTheSenderHasOneEnd() async throws {
        for _ in 0..<20 {
            let sender = try makeSender()
            let events = await withTaskGroup(of: Gathered<String>.self) { group in
                for index in 0..<20 {
                    group.addTask {
                        if index == 10 { sender.close() }
                        let answer = sender.send(.get, server.url("/echo/1"))
                        let events = answer.events
                        _ = await answer.end()
                        return events
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(events.allSatisfy { $0.all == ["completed"] || $0.all == ["failed"] })
        }
    }
}
#endif
