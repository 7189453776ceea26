import NetChainKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.needs(.nginx, .httpbin))
struct BuildFormsTests {
    @Test func aChainWithoutInputGivesAModelOfTwoLayers() async throws {
        let user: User = try await request(.nginx, "/users/1").build().execute()
        #expect(user == User(id: 1, name: "Ada", tags: ["admin", "math"], manager: nil))
    }

    @Test func aChainWithoutInputGivesAListOfModels() async throws {
        let users: [User] = try await request(.nginx, "/users").build().execute()
        #expect(users.map(\.name) == ["Ada", "Grace", "Лев Ω 🦁"])
        #expect(users.map(\.manager) == [nil, "Ada", "Grace"])
    }

    @Test func aChainTakesAModelAndGivesOne() async throws {
        let answer: Anything = try await request(.post, .httpbin, "/anything").build().execute(Login())
        #expect(answer.method == "POST")
        #expect(try answer.json?.decode(Login.self) == Login())
    }

    @Test func aChainTakesAModelAndGivesNothing() async throws {
        let chain: Node<Login, Void> = try request(.post, .nginx, "/status/204").build()
        try await chain.execute(Login())
        let refused: Node<Login, Void> = try request(.post, .nginx, "/status/403").build()
        let error = await thrown(HttpError.self) { try await refused.execute(Login()) }
        #expect(error?.status == 403)
    }

    @Test func aChainNeitherTakesNorGivesAnything() async throws {
        try await request(.delete, .httpbin, "/status/200").build(Void.self).execute()
        let error = await thrown(HttpError.self) {
            try await request(.delete, .nginx, "/status/500").build(Void.self).execute()
        }
        #expect(error?.status == 500)
    }

    @Test func aMultipartChainGivesAModel() async throws {
        let form = MultipartModel(fields: ["title": "Sunset", "year": 2026])
        let answer: Anything = try await request(.post, .httpbin, "/anything").build().execute(form)
        #expect(answer.form == ["title": "Sunset", "year": "2026"])
    }

    @Test func aMultipartChainGivesNothing() async throws {
        let chain: Node<MultipartModel<[String: Data]>, Void> = try request(.post, .httpbin, "/status/201").build()
        try await chain.execute(MultipartModel(fields: ["title": "Sunset"]))
    }

    @Test func aLoadingChainGivesTheBytes() async throws {
        let data = try await request(.nginx, "/blob.bin").loadData().execute()
        #expect(data == blob)
    }

    @Test func aLoadingChainSendsAModel() async throws {
        let chain: Node<Login, Data> = try request(.post, .nginx, "/raw-body").loadData()
        let data = try await chain.execute(Login())
        #expect(try Json(parsing: data).decode(Login.self) == Login())
    }

    @Test func theCallbacksOfAChainAreCalled() async throws {
        let chain: Node<Void, [User]> = try request(.nginx, "/users").run(on: .inPlace, callbacks: .inPlace).build()
        let names = await withCheckedContinuation { continuation in
            chain.process()
                .onCompleted { continuation.resume(returning: $0.map(\.id)) }
                .onError { _ in continuation.resume(returning: []) }
        }
        #expect(names == [1, 2, 3])
    }

    @Test func oneChainServesAHundredCallsAtOnce() async throws {
        let sender = try CurlRequestSender(configuration: .loopback())
        let chain: Node<Json, Anything> = try request(.post, .httpbin, "/anything", with: sender).build()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask { try await chain.execute(["number": .init(number)]).json == ["number": .init(number)] }
            }
            for try await isOwnAnswer in group { #expect(isOwnAnswer) }
        }
    }
}
