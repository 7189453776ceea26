import HttpMessages
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
