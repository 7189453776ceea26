import Dispatch
import NetChainKit
import NetChainTestKit
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ServiceOperationsTests {
    private let sender = ScriptedRequestSender(json: #"{"id": 1, "name": "Ann"}"#)

    private func builder() -> UrlChainsBuilder<Route> {
        UrlChainsBuilder<Route>().quiet().sender(sender).route(.get, .users)
    }

    /// Gives the same headers each time, and counts.
    private struct Provider: MetadataProvider {
        let headers: [String: String]
        let counter = Counter()

        func metadata() async throws -> [String: String] {
            counter.add()
            await Task.yield()
            return headers
        }
    }

    @Test func providersAreAskedForEachSendingAndWinOverMetadata() async throws {
        let (first, second) = (Provider(headers: ["X-A": "p1", "X-B": "p1"]), Provider(headers: ["x-b": "p2"]))
        let chain: Node<Void, User> = builder()
            .set(metadata: ["X-A": "m", "X-C": "m"]).add(provider: first).add(provider: second).build()
        _ = try await chain.execute()
        _ = try await chain.execute()
        #expect(first.counter.value == 2)
        #expect(second.counter.value == 2)
        for request in sender.requests {
            #expect(request.headers["X-A"] == "p1")
            #expect(request.headers.values(of: "X-B") == ["p2"])
            #expect(request.headers["X-C"] == "m")
        }
    }

    @Test func nobodyIsAskedBeforeARequest() async throws {
        let provider = Provider(headers: [:])
        let _: Node<Void, User> = builder().add(provider: provider).build()
        #expect(provider.counter.value == 0)
    }

    @Test func injectedHeadersReplaceThoseOfTheSameName() async throws {
        let chain: Node<Void, User> = builder().set(metadata: ["X-A": "m", "X-B": "m"])
            .inject(headers: ["x-a": "1", "X-C": "1"]).inject(headers: ["X-A": "2"]).build()
        _ = try await chain.execute()
        let headers = try #require(sender.requests.first).headers
        #expect(headers.values(of: "x-a") == ["2"])
        #expect(headers["X-B"] == "m")
        #expect(headers["X-C"] == "1")
    }

    @Test func acceptedStatusesAreNoFailure() async throws {
        let notFound = ScriptedRequestSender(json: #"{"id": 1, "name": "Ann"}"#, status: 404)
        let builder = builder().sender(notFound)
        await #expect(throws: HttpError.self) { try await builder.build().execute() as User }
        #expect(try await builder.acceptedStatuses(.successful(and: 404)).build().execute() == User(id: 1, name: "Ann"))
        let chain: Node<Void, Void> = builder.acceptedStatuses(.range(200...299)).build()
        await #expect(throws: HttpError.self) { try await chain.execute() }
    }

    @Test func optionsReachTheSender() async throws {
        let chain: Node<Void, User> = builder().timeout(.seconds(3)).stallTimeout(.seconds(2)).onProgress { _ in }
            .build()
        _ = try await chain.execute()
        #expect(sender.requests.first?.options.timeout == .seconds(3))
        #expect(sender.requests.first?.options.stallTimeout == .seconds(2))
        #expect(sender.requests.first?.options.onProgress != nil)
    }

    @Test func theBuildersSenderWinsOverTheServiceChains() async throws {
        let other = ScriptedRequestSender(json: #"{"id": 2, "name": "Bob"}"#)
        let service = UrlServiceChainBuilder(sender: other)
        let builder = UrlChainsBuilder<Route>(serviceChain: service).quiet().route(.get, .users)
        #expect(try await builder.build().execute() == User(id: 2, name: "Bob"))
        #expect(try await builder.sender(sender).build().execute() == User(id: 1, name: "Ann"))
    }

    @Test func settingsOfOneChainDoNotReachAnotherOfTheSameServiceChain() async throws {
        let other = ScriptedRequestSender(json: #"{"id": 2, "name": "Bob"}"#)
        let service = UrlServiceChainBuilder(sender: other)
        let loud = UrlChainsBuilder<Route>(serviceChain: service).quiet().route(.get, .users)
            .sender(sender).inject(headers: ["X-A": "1"]).add(provider: Provider(headers: ["X-B": "1"]))
            .timeout(.seconds(1)).acceptedStatuses(.all).retry(.exponential())
            .accessSafe(TokenRefresherNode {})
        let plain = UrlChainsBuilder<Route>(serviceChain: service).quiet().route(.get, .users)
        let file = loud.loadData()
        let chain: Node<Void, User> = plain.build()
        #expect(!chain.chain.names.contains { ["AccessSafeNode", "HeaderInjectorNode"].contains($0) })
        #expect(chain.chain.names.last == "ResponseDataParserNode")
        #expect(try await chain.execute() == User(id: 2, name: "Bob"))
        #expect(other.requests.first?.headers.fields.isEmpty == true)
        #expect(other.requests.first?.options.timeout == nil)
        _ = try await file.execute()
        #expect(sender.requests.first?.headers == ["X-A": "1", "X-B": "1"])
        // Parts that are built without a builder have nobody's settings.
        let bare = service.requestTransportChain()
        #expect(bare.chain.names.first == "RetryNode")
        #expect(bare.chain.names.last == "ResponseDataParserNode")
    }

    @Test func theWorkAndTheAnswerHaveTheQueuesOfTheirChoice() async throws {
        let (work, answer) = (NamedQueue("work").queue, NamedQueue("answer").queue)
        let places = Mutex<[String]>([])
        let sender = ScriptedRequestSender { exchange in
            places.withLock { $0.append(NamedQueue.current) }
            exchange.respond(json: #"{"id": 1, "name": "Ann"}"#)
        }
        let chain: Node<Void, User> = builder().sender(sender)
            .run(on: .dispatch(on: work), callbacks: .dispatch(on: answer)).build()
        let observer = chain.process()
        observer.onCompleted { _ in places.withLock { $0.append(NamedQueue.current) } }
        let ends = Ends(observer)
        try await ends.wait()
        #expect(ends.all == ["completed", "defer"])
        #expect(places.withLock { $0 } == ["work", "answer"])
    }

    @Test func withoutAChoiceTheWorkIsInTheBackgroundAndTheAnswerOnMain() async throws {
        _ = NamedQueue("main", .main)
        let places = Mutex<[String]>([])
        let sender = ScriptedRequestSender { exchange in
            places.withLock { $0.append(NamedQueue.current) }
            exchange.respond(json: #"{"id": 1, "name": "Ann"}"#)
        }
        let chain: Node<Void, User> = UrlChainsBuilder<Route>()
            .route(.get, .users).log(to: .silent).sender(sender).build()
        let observer = chain.process()
        observer.onCompleted { _ in places.withLock { $0.append(NamedQueue.current) } }
        try await Ends(observer).wait()
        #expect(places.withLock { $0 } == ["none", "main"])
    }

    @Test func requestsUnderWayAreIndicated() async throws {
        let activity = LoadActivity()
        let held = ScriptedRequestSender()
        let builder = builder().indicate(with: activity).sender(held)
        let first: Node<Void, User> = builder.build()
        let second = builder.loadData()
        let (one, two, three) = (first.inline(), second.inline(), second.inline())
        #expect(activity.count == 3)
        try await held.nextRequest().respond(json: "[]")
        try await held.nextRequest().respond()
        #expect(activity.count == 1)
        three.cancel()
        #expect(activity.count == 0)
        #expect(one.outcome?.error is DecodingError)
        #expect(two.outcome?.value == Data())
        _ = three
    }
}
