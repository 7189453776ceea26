import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The query that the injector gives a URL without one; nil when the URL stays without.
func injected(_ query: [String: Any], _ encoder: QueryEncoder = QueryEncoder()) async throws -> String? {
    let url = try await injected(URLQueryConfigModel(query: query, encoder: encoder))
    return url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) }
}

@discardableResult
func injected(_ config: URLQueryConfigModel, into text: String = "http://a.example/") async throws -> String {
    let spy = Spy<RoutableRequestModel<any UrlRouteProvider, Void>, Void>()
    let url = try #require(URL(string: text))
    try await URLQueryInjectorNode(next: spy, config: config)
        .execute(RoutableRequestModel(metadata: [:], raw: (), route: url))
    return try #require(spy.inputs.first).route.url().absoluteString
}

private struct FailingRoute: UrlRouteProvider {
    struct Failure: Error, Equatable {}

    func url() throws -> URL { throw Failure() }
}

struct URLQueryInjectorNodeTests {
    @Test(arguments: [
        ("http://a.example/x?hd=1", "http://a.example/x?hd=1&page=0"),
        ("http://a.example/x?hd=[1]", "http://a.example/x?hd=%5B1%5D&page=0"),
        ("http://a.example/x?z=1&z=2", "http://a.example/x?z=1&z=2&page=0"),
        ("http://a.example/x?", "http://a.example/x?page=0"),
        ("http://a.example/x#end", "http://a.example/x?page=0#end"),
        ("http://a.example/x?a=b%20c+d", "http://a.example/x?a=b%20c+d&page=0"),
        ("http://a.example", "http://a.example?page=0"),
    ])
    func theUrlsOwnQueryComesFirst(url: String, expected: String) async throws {
        #expect(try await injected(URLQueryConfigModel(query: ["page": .number("0")]), into: url) == expected)
    }

    @Test func withoutParametersTheRouteIsNotAsked() async throws {
        let spy = Spy<RoutableRequestModel<any UrlRouteProvider, Void>, Void>()
        try await URLQueryInjectorNode(next: spy, config: URLQueryConfigModel())
            .execute(RoutableRequestModel(metadata: [:], raw: (), route: FailingRoute()))
        #expect(spy.inputs.first?.route is FailingRoute)
    }

    @Test func aRouteThatThrowsIsTheCauseOfTheError() async throws {
        let node = URLQueryInjectorNode(
            next: Spy<RoutableRequestModel<any UrlRouteProvider, Void>, Void>(),
            config: URLQueryConfigModel(query: ["a": .number("1")]))
        let error = try #require(
            await thrown(RequestBuildingError.self) {
                try await node.execute(RoutableRequestModel(metadata: [:], raw: (), route: FailingRoute()))
            })
        #expect(error.code == .routeFailed)
        #expect(error.cause is FailingRoute.Failure)
    }

    @Test func newParametersReplaceAProblemOfEarlierOnes() async throws {
        var config = URLQueryConfigModel(query: ["a": FailingRoute()] as [String: Any])
        #expect(!config.isEmpty)
        config.set(query: ["b": 1])
        #expect(try await injected(config, into: "http://a.example/") == "http://a.example/?b=1")
        config.set(query: [:])
        #expect(config.isEmpty)
    }
}
