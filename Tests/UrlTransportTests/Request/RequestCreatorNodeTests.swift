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

private struct Provider: MetadataProvider {
    let headers: @Sendable () throws -> [String: String]
    func metadata() async throws -> [String: String] { try headers() }
}

private struct HeldProvider: MetadataProvider {
    let context = Context<[String: String]>()
    func metadata() async throws -> [String: String] { try await context.observer.value }
}

private struct Failure: Error {}

struct RequestCreatorNodeTests {
    private let spy = Spy<HttpRequest, Void>()
    private let request: HttpRequest

    init() throws {
        let url = try #require(URL(string: "http://a.example/x"))
        request = HttpRequest(
            method: .post, url: url, headers: ["X-Own": "own"], body: .data(Data("b".utf8)), attempt: 2)
    }

    private func created(_ providers: [any MetadataProvider]) async throws -> HttpRequest {
        try await RequestCreatorNode(next: spy, providers: providers).execute(request)
        return try #require(spy.inputs.first)
    }

    @Test func theRequestKeepsAllThatWasSaidAboutIt() async throws {
        let options = RequestOptions(timeout: .seconds(3))
        try await RequestCreatorNode(next: spy, options: options).execute(request)
        let raw = try #require(spy.inputs.first)
        #expect((raw.method, raw.url, raw.attempt) == (.post, request.url, 2))
        #expect(raw.headers == ["X-Own": "own"])
        #expect(raw.body.inMemory == Data("b".utf8))
        #expect(raw.options.timeout == .seconds(3))
    }

    /// What the retry node, the chain and a recorder have set for this sending.
    @Test func itsOptionsLeaveThoseOfTheSending() async throws {
        var request = request
        request.options.needsNewConnection = true
        request.options.spentTime = .seconds(1)
        request.options.secretHeaders = ["X-Key"]
        request.options.hopLog = HopLog()
        request.options.timeout = .seconds(9)
        request.options.stallTimeout = .seconds(8)
        try await RequestCreatorNode(next: spy, options: RequestOptions(timeout: .seconds(3))).execute(request)
        let options = try #require(spy.inputs.first).options
        #expect(options.needsNewConnection)
        #expect(options.spentTime == .seconds(1))
        #expect(options.secretHeaders == ["X-Key"])
        #expect(options.hopLog != nil)
        #expect(options.timeout == .seconds(3))
        #expect(options.stallTimeout == .seconds(8))
    }

    @Test func laterProvidersWinAndAllWinOverTheRequest() async throws {
        let headers = try await created([
            Provider { ["x-own": "first", "X-A": "first", "X-B": "first"] },
            Provider { ["X-A": "second"] },
            Provider { [:] },
            Provider { ["X-B": "last"] },
        ]).headers
        #expect(headers["X-Own"] == "first")
        #expect(headers["X-A"] == "second")
        #expect(headers["X-B"] == "last")
        #expect(headers.fields.count == 3)
    }

    @Test func providersThatNeedNoWaitCostNone() throws {
        let node = RequestCreatorNode(next: spy, providers: [Provider { ["X-A": "1"] }])
        #expect(node.inline(request).outcome != nil)
        #expect(spy.inputs.count == 1)
    }

    @Test func eachSendingAsksAnew() async throws {
        let count = Atomic(0)
        let node = RequestCreatorNode(
            next: spy, providers: [Provider { ["X-Id": "\(count.add(1, ordering: .relaxed).newValue)"] }])
        try await node.execute(request)
        try await node.execute(request)
        #expect(spy.inputs.map { $0.headers["X-Id"] } == ["1", "2"])
    }

    @Test func aProviderThatThrowsFailsTheRequestBeforeItIsSent() async throws {
        let failing = Provider { throw Failure() }
        for providers in [[failing], [Provider { [:] }, failing]] {
            let error = try #require(await thrown(RequestBuildingError.self) { _ = try await created(providers) })
            #expect(error.code == .metadataFailed)
            #expect(error.cause is Failure)
            #expect(error.description == "A metadata provider failed: Failure()")
        }
        #expect(spy.inputs.isEmpty)
    }

    @Test func aProviderWhoseOwnWorkWasCancelledFailsTheRequest() async throws {
        let failing = Provider { throw CancellationError() }
        let outcome = await RequestCreatorNode(next: spy, providers: [failing]).process(request).end()
        let error = try #require(outcome.error as? RequestBuildingError)
        #expect(error.code == .metadataFailed)
        #expect(error.cause is CancellationError)
        #expect(spy.inputs.isEmpty)
    }

    @Test(arguments: [
        ("X-Evil\r\nX-Injected", "1"), ("X-A", "1\r\nX-Injected: 2"), ("X-A", "1\nX-Injected: 2"), ("X-A", "\0"),
        ("X-A: 1", ""),
    ])
    func aProviderCanNotInjectHeaders(name: String, value: String) async throws {
        let error = try #require(
            await thrown(RequestBuildingError.self) { _ = try await created([Provider { [name: value] }]) })
        #expect(error.code == .invalidHeader)
        #expect(spy.inputs.isEmpty)
    }

    @Test func aCancelWhileAProviderIsAskedSendsNothing() async throws {
        let provider = HeldProvider()
        let observer = RequestCreatorNode(next: spy, providers: [provider]).process(request)
        let events = observer.events
        observer.cancel()
        provider.context.emit(data: ["X-A": "1"])
        #expect(await observer.end().isCanceled)
        #expect(events.all == ["canceled"])
        #expect(spy.inputs.isEmpty)
    }
}

struct HeaderInjectorNodeTests {
    @Test func itsHeadersReplaceThoseOfTheSameName() async throws {
        let spy = Spy<HttpRequest, Void>()
        let url = try #require(URL(string: "http://a.example/x"))
        let request = HttpRequest(method: .get, url: url, headers: ["accept-language": "de", "X-Own": "1"])
        try await HeaderInjectorNode(next: spy, headers: ["Accept-Language": "en", "X-New": "2"]).execute(request)
        #expect(spy.inputs.first?.headers == ["Accept-Language": "en", "X-Own": "1", "X-New": "2"])
    }

    @Test func whatItInjectsIsCheckedBeforeSending() async throws {
        let spy = Spy<HttpRequest, Void>()
        let url = try #require(URL(string: "http://a.example/x"))
        let node = HeaderInjectorNode(next: RequestCreatorNode(next: spy), headers: ["X-A": "1\r\nX-Injected: 2"])
        let error = try #require(
            await thrown(RequestBuildingError.self) {
                try await node.execute(HttpRequest(method: .get, url: url))
            })
        #expect(error.code == .invalidHeader)
        #expect(spy.inputs.isEmpty)
    }
}
