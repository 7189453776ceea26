import NetChainKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The query rules of the facts on the wire: as nginx saw them, to the byte, and as httpbin decoded them.
@Suite(.needs(.nginx, .httpbin))
struct QueryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let query: @Sendable () -> [String: Any]
        let wire: String
        let decoded: [String: Json]
        var change: @Sendable (UrlChainsBuilder<URL>) -> Void = { _ in }

        var testDescription: String { wire }
    }

    static let cases = [
        Case(
            query: { ["foo": ["a", 1, true] as [Any]] }, wire: "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=1",
            decoded: ["foo[]": ["a", "1", "1"]]),
        Case(
            query: { ["foo": ["a", 1, true] as [Any]] }, wire: "foo=a&foo=1&foo=1", decoded: ["foo": ["a", "1", "1"]],
            change: { $0.set(arrayEncodingStrategy: .noBrackets) }),
        Case(
            query: { ["foo": ["bar": ["baz": ["a"]]]] }, wire: "foo%5Bbar%5D%5Bbaz%5D%5B%5D=a",
            decoded: ["foo[bar][baz][]": "a"]),
        Case(
            query: { ["a": 1, "b": 1.0, "c": true, "d": false] }, wire: "a=1&b=1.0&c=true&d=false",
            decoded: ["a": "1", "b": "1.0", "c": "true", "d": "false"],
            change: { $0.set(boolEncodingStrategy: .asBool) }),
        Case(
            query: { ["reserved": ":#[]@!$&'()*+,;="] },
            wire: "reserved=%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D",
            decoded: ["reserved": ":#[]@!$&'()*+,;="]),
        Case(
            query: { ["illegal": " \"#%<>[]\\^`{}|"] },
            wire: "illegal=%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C", decoded: ["illegal": " \"#%<>[]\\^`{}|"]),
        Case(query: { ["+foo+": "+bar+"] }, wire: "%2Bfoo%2B=%2Bbar%2B", decoded: ["+foo+": "+bar+"]),
        Case(
            query: { ["français": "🦁"] }, wire: "fran%C3%A7ais=%F0%9F%A6%81", decoded: ["français": "🦁"]),
        Case(query: { ["path": "/a?b"] }, wire: "path=/a?b", decoded: ["path": "/a?b"]),
        Case(
            query: { ["z": "1", "a": ["y": 2, "b": 3], "empty": "", "none": String?.none as Any] },
            wire: "a%5Bb%5D=3&a%5By%5D=2&empty=&z=1", decoded: ["a[b]": "3", "a[y]": "2", "empty": "", "z": "1"]),
    ]

    @Test(arguments: cases)
    func nginxSeesTheQueryAsItShouldBe(example: Case) async throws {
        let builder = try request(.nginx, "/raw-uri").set(query: example.query())
        example.change(builder)
        let text = String(decoding: try await builder.loadData().execute(), as: UTF8.self)
        #expect(text == "/raw-uri?" + example.wire)
    }

    @Test(arguments: cases)
    func httpbinDecodesTheQueryAsItWasSet(example: Case) async throws {
        let builder = try request(.httpbin, "/anything").set(query: example.query())
        example.change(builder)
        let answer: Anything = try await builder.build().execute()
        #expect(answer.args == example.decoded)
    }

    @Test(
        arguments: [
            ("/raw-uri?hd=[1]", "hd=%5B1%5D&page=0"), ("/raw-uri?hd=%5B1%5D", "hd=%5B1%5D&page=0"),
            ("/raw-uri?hd=[1]&plus=%2B", "hd=%5B1%5D&plus=%2B&page=0"), ("/raw-uri?", "page=0"),
            ("/raw-uri?a=b+c#part", "a=b+c&page=0"),
        ])
    func theQueryOfTheRouteStaysAndTheAddedOneFollows(path: String, wire: String) async throws {
        let data = try await request(.nginx, path).set(query: ["page": 0]).loadData().execute()
        #expect(String(decoding: data, as: UTF8.self) == "/raw-uri?" + wire)
    }

    @Test(
        arguments: [
            ("/raw-uri/a+b", "/raw-uri/a+b"), ("/raw-uri/a b", "/raw-uri/a%20b"), ("/raw-uri/a%2Fb", "/raw-uri/a%2Fb"),
            ("/raw-uri/a%2Fb c%", "/raw-uri/a%2Fb%20c%25"),
            ("/raw-uri/é", "/raw-uri/%C3%A9"), ("/raw-uri//x", "/raw-uri//x"), ("/raw-uri/x/", "/raw-uri/x/"),
        ])
    func aPathArrivesAsItWasWritten(path: String, wire: String) async throws {
        let data = try await request(.nginx, path).loadData().execute()
        #expect(String(decoding: data, as: UTF8.self) == wire)
    }
}
