import HttpMessages
import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A store that fails, or has lost a body, is a miss.
@Suite struct StoreFailureTests {
    private static let stored = [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]

    @Test(arguments: FlakyStore.Point.allCases)
    func anErrorOfTheStoreFailsNoRequest(_ point: FlakyStore.Point) async throws {
        let store = FlakyStore()
        let lab = CacheLab(store: store)
        lab.answers(200, Self.stored, body: "the first")
        store.fail(point)
        #expect(try await lab.get().text == "the first")
        store.fail()
        #expect(try await lab.get().text == "the first")
        store.fail(point)
        lab.wait(100)
        lab.answers(200, Self.stored, body: "the second")
        #expect(try await lab.get().text == "the second")
        #expect(try await lab.get().text == "the second")
        lab.wait(100)
        if point == .update {
            lab.answers(304)
            #expect(try await lab.get().text == "the second")
        }
        if point == .remove {
            lab.answers(200, [("Cache-Control", "no-store")], body: "the third")
            #expect(try await lab.get().text == "the third")
        }
        #expect(await lab.cache.statistics.storeFailures > 0)
    }

    @Test func a304AfterAnEvictionSendsTheRequestWithoutConditions() async throws {
        let store = FlakyStore()
        let lab = CacheLab(store: store)
        lab.answers(200, [("ETag", "\"a\"")], body: "whole")
        try await lab.get()
        store.loseBodies()
        let network = ConditionalServer(body: "whole")
        let sender = CachingSender(next: network, cache: lab.cache)
        let response = try await sender.send(try lab.request())
        #expect(response.text == "whole" && response.status == 200 && response.cache == .miss)
        #expect(network.requests.all.map { $0.headers["If-None-Match"] } == ["\"a\"", nil])
    }

    @Test func a304ForAnotherTagSendsTheRequestWithoutConditions() async throws {
        let lab = CacheLab()
        lab.answers(200, [("ETag", "\"a\"")], body: "old")
        try await lab.get()
        let sender = CachingSender(next: ConditionalServer(body: "new", tag: "\"b\""), cache: lab.cache)
        #expect(try await sender.send(try lab.request()).text == "new")
    }

    /// An update could bring back what is being removed.
    @Test func whatIsInvalidatedDuringItsValidationIsNotUpdated() async throws {
        let store = FlakyStore()
        let lab = CacheLab(store: store)
        lab.answers(200, [("ETag", "\"a\"")], body: "text")
        try await lab.get()
        lab.answers(304)
        // After the 304, before the update.
        store.onPiece { [weak lab] in lab?.cache.writes.invalidate { _, _ in true } }
        store.fail(.update)
        #expect(try await lab.get().text == "text")
        #expect(await lab.cache.statistics.storeFailures == 0)
    }

    @Test func theRequestAfterA304HasTheRestOfItsTime() async throws {
        let lab = CacheLab()
        lab.answers(200, [("ETag", "\"a\"")])
        try await lab.get()
        let network = ScriptedRequestSender { exchange in
            lab.wait(4)
            let isConditional = exchange.request.headers["If-None-Match"] != nil
            exchange.respond(status: isConditional ? 304 : 200, headers: ["ETag": "\"b\""])
        }
        var request = try lab.request()
        request.options.timeout = .seconds(10)
        let response = try await CachingSender(next: network, cache: lab.cache).send(request)
        #expect(response.status == 200)
        let options = try #require(network.requests.last?.options)
        #expect(network.requests.count == 2)
        #expect(abs(try #require(options.timeout) / .seconds(1) - 6) < 0.001)
        #expect(abs(options.spentTime / .seconds(1) - 4) < 0.001)
    }

    @Test func aDamagedBodyIsRemoved() async throws {
        let store = FlakyStore()
        let lab = CacheLab(store: store)
        lab.answers(200, Self.stored, body: "text")
        try await lab.get()
        store.fail(.piece)
        #expect(try await lab.get().cache == .miss)
        store.fail()
        #expect(try await lab.get().text == "text")
        #expect(await lab.cache.statistics.entries == 1)
    }

    /// One over 16 MiB isn't read before it is served. The store fails, or ends early.
    @Test(arguments: [true, false]) func aDamagedLargeStreamFailsOnce(throwsError: Bool) async throws {
        let store = FlakyStore()
        let lab = CacheLab(store: store)
        lab.answers(200, Self.stored, body: "text")
        try await lab.get()
        store.announce(BodyDelivery.largestVerified + 1)
        let pieces = Gathered<Int>()
        store.onPiece { [weak store] in
            pieces.append(1)
            if throwsError, pieces.all.count == 2 { store?.fail(.piece) }
        }
        let stream = try #require(try await lab.stream().bytes)
        await #expect(throws: (any Error).self) { for try await _ in stream {} }
        #expect(await lab.cache.statistics.storeFailures == 1)
        #expect(await lab.cache.statistics.entries == 0)
        store.fail()
        let second = try await lab.stream()
        #expect(second.cache == .miss)
        for try await _ in try #require(second.bytes) {}
    }

    /// One of up to 16 MiB is read before it is served.
    @Test func aStreamThatEndsEarlyIsAMiss() async throws {
        let store = FlakyStore()
        let lab = CacheLab(store: store)
        lab.answers(200, Self.stored, body: "text")
        try await lab.get()
        store.announce(5)
        #expect(try await lab.stream().cache == .miss)
        #expect(await lab.cache.statistics.storeFailures == 1)
    }

    @Test func aCanceledLargeStreamLeavesTheEntry() async throws {
        let store = FlakyStore()
        let lab = CacheLab(store: store)
        lab.answers(200, Self.stored, body: String(repeating: "a", count: 1000))
        try await lab.get()
        store.announce(BodyDelivery.largestVerified + 1)
        let pieces = Gathered<Int>()
        store.onPiece { [weak store] in
            pieces.append(1)
            guard pieces.all.count == 2 else { return }
            // As a store whose calls fail when they are canceled.
            withUnsafeCurrentTask { $0?.cancel() }
            store?.fail(.piece)
        }
        let stream = try #require(try await lab.stream().bytes)
        await #expect(throws: (any Error).self) { for try await _ in stream {} }
        #expect(await lab.cache.statistics.storeFailures == 0)
        #expect(await lab.cache.statistics.entries == 1)
    }
}

extension CacheLab {
    fileprivate func stream() async throws -> HttpResponse {
        var request = try request()
        request.options.destination = .stream
        return try await sender.send(request)
    }
}

/// Responds to conditions with 304, and to anything else with a body.
struct ConditionalServer: TraitDeclaring {
    let body: String
    var tag: String?
    let traits = SenderTraits()
    let requests = Gathered<HttpRequest>()

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        requests.append(request)
        if request.headers["If-None-Match"] != nil {
            return HttpResponse(request: request, status: 304, headers: tag.map { ["ETag": $0] } ?? [:])
        }
        return HttpResponse(request: request, status: 200, data: Data(body.utf8))
    }
}
