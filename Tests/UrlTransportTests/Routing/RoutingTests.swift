import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct RoutingTests {
    @Test(arguments: [
        ("https://a.example", "users", "https://a.example/users"),
        ("https://a.example", "/users", "https://a.example/users"),
        ("https://a.example/", "/users", "https://a.example/users"),
        ("https://a.example/v1//", "//users", "https://a.example/v1/users"),
        ("https://a.example/v1", "users/", "https://a.example/v1/users/"),
        ("https://a.example/v1", "a//b", "https://a.example/v1/a//b"),
        ("https://a.example/v1", "", "https://a.example/v1"),
        ("https://a.example/v1/", "", "https://a.example/v1/"),
        ("https://a.example:8443/v1", "users", "https://a.example:8443/v1/users"),
        ("https://a.example", "//evil.example/x", "https://a.example/evil.example/x"),
        ("https://a.example", "@evil.example", "https://a.example/@evil.example"),
        ("https://a.example", ":8080/x", "https://a.example/:8080/x"),
    ])
    func aPathIsAppendedWithExactlyOneSlash(base: String, path: String, expected: String) throws {
        #expect(try (URL(string: base) + path).absoluteString == expected)
    }

    @Test(arguments: [
        ("https://a.example/v1", "users?page=2", "https://a.example/v1/users?page=2"),
        ("https://a.example/v1?key=1", "users", "https://a.example/v1/users?key=1"),
        ("https://a.example/v1?key=1", "users?page=2", "https://a.example/v1/users?key=1&page=2"),
        ("https://a.example/v1?", "users?page=2", "https://a.example/v1/users?page=2"),
        ("https://a.example/v1?key=1", "?page=2", "https://a.example/v1?key=1&page=2"),
        ("https://a.example/v1#top", "users", "https://a.example/v1/users#top"),
        ("https://a.example/v1#top", "users?page=2#end", "https://a.example/v1/users?page=2#end"),
        ("https://a.example/v1", "users#a?b", "https://a.example/v1/users#a?b"),
        ("https://a.example/v1", "search?q=a?b", "https://a.example/v1/search?q=a?b"),
        ("https://a.example", "next?url=https://b.example/c", "https://a.example/next?url=https://b.example/c"),
    ])
    func queriesAndFragmentsOfBothPartsAreKept(base: String, path: String, expected: String) throws {
        #expect(try (URL(string: base) + path).absoluteString == expected)
    }

    @Test(arguments: [
        ("two words", "/two%20words"), ("tom+jerry", "/tom+jerry"), ("caf\u{E9}", "/caf%C3%A9"),
        ("%F0%9F%98%80", "/%F0%9F%98%80"), ("\u{1F600}", "/%F0%9F%98%80"), ("a%2Fb", "/a%2Fb"),
        ("users/(1)", "/users/(1)"), ("a:b;c=d,e", "/a:b;c=d,e"), ("\r\nX-Evil: 1", "/%0D%0AX-Evil:%201"),
    ])
    func whatAUrlCantHoldIsEscapedAndPlusStaysPlus(path: String, expected: String) throws {
        #expect(try (URL(string: "https://a.example") + path).absoluteString == "https://a.example\(expected)")
    }

    @Test func aNilBaseIsAnErrorThatNamesThePathAndAsksForTheScheme() throws {
        let error = thrown(RequestBuildingError.self) { try URL(string: "127.0.0.1:8123") + "/users" }
        #expect(error?.code == .invalidUrl)
        #expect(
            error?.description
                == #"The base URL that "/users" should be appended to is empty or no URL. Is "http://" missing in front of it?"#
        )
    }

    @Test func thePathOfSuchAnErrorShowsNoSecret() {
        let error = thrown(RequestBuildingError.self) { try URL?.none + "/x?page=2&access_token=hunter2" }
        #expect(
            error?.description
                == #"The base URL that "/x?page=2&access_token=***" should be appended to is empty or no URL. Is "http://" missing "#
                + "in front of it?")
    }

    @Test func aUrlIsARouteOfItsOwn() throws {
        let url = try #require(URL(string: "https://a.example/x"))
        #expect(try url.url() == url)
    }

    @Test func theRouterAddsItsRoute() async throws {
        let spy = Spy<RoutableRequestModel<String, Int>, Void>()
        let node = RequestRouterNode(next: spy, route: "there")
        try await node.execute(RequestModel(metadata: ["A": "1"], raw: 7))
        let input = try #require(spy.inputs.first)
        #expect((input.metadata, input.raw, input.route) == (["A": "1"], 7, "there"))
    }

    @Test func metadataAreConnectedToTheRequest() async throws {
        let spy = Spy<RequestModel<Int>, Void>()
        try await MetadataConnectorNode(next: spy, metadata: ["A": "1"]).execute(7)
        let input = try #require(spy.inputs.first)
        #expect((input.metadata, input.raw) == (["A": "1"], 7))
    }
}

struct MethodTests {
    @Test func aMethodIsAnyTextAndKeepsItsCase() {
        let purge: HttpMethod = "PURGE"
        #expect(purge.rawValue == "PURGE")
        #expect("\(purge)" == "PURGE")
        #expect(HttpMethod(rawValue: "get") != .get)
    }

    @Test(arguments: [
        (HttpMethod.get, true), (.head, true), (.options, true), (.trace, true), (.put, true),
        (.delete, true), (.post, false), (.patch, false), (.connect, false), ("PURGE", false),
    ])
    func idempotentMethodsAreThoseOfTheStandard(method: HttpMethod, isIdempotent: Bool) {
        #expect(method.isIdempotent == isIdempotent)
    }
}
