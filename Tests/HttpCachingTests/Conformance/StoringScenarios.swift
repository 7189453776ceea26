import HttpMessages
import Testing

/// RFC 9111 §3, §4.1, §5.2.2: which responses are stored, and for which requests.
@Suite struct StoringScenarios {
    @Test(arguments: Array([directives, fresh, stale, unstored, ofOneRequest, variants, stars, requests].joined()))
    func isStoredAsTheSpecificationSays(_ scenario: Scenario) async throws {
        try await scenario.run()
    }

    static let directives: [Scenario] = [
        Scenario(
            "5.2.2.7", "private is stored in a private cache", [("Cache-Control", "private, max-age=3600")], .stored),
        Scenario("5.2.2.5", "no-store isn't stored", [("Cache-Control", "no-store")], .sent),
        Scenario("5.2.2.5", "in any case", [("Cache-Control", "No-StOrE, max-age=100")], .sent),
        Scenario(
            "5.2.2.5", "with freshness", [("Cache-Control", "max-age=10000, no-store"), ("Expires", "@+10000")], .sent),
        Scenario("5.2.2.4", "no-cache isn't reused", [("Cache-Control", "max-age=10000, No-CaChE")], .sent),
        Scenario("5.2.2.4", "no-cache is validated", [("Cache-Control", "no-cache"), ("ETag", "\"a\"")], .validated),
        Scenario(
            "5.2.2.4", "even if it is fresh", [("Cache-Control", "max-age=10000, no-cache"), ("ETag", "\"a\"")],
            .validated),
        Scenario(
            "5.2.2.4", "of a qualified no-cache the fields aren't stored",
            .first([("Cache-Control", "no-cache=\"a, B\", max-age=3600"), ("A", "1"), ("b", "2"), ("c", "3")]),
            .then(.stored, received: [("a", ""), ("b", ""), ("c", "3")])),
        Scenario(
            "5.2.2.4", "of two the unqualified counts", [("Cache-Control", "no-cache=\"a\", max-age=3600, no-cache")],
            .sent),
        Scenario(
            "5.2.2.4", "without the end of its quotes it is whole", [("Cache-Control", "max-age=3600, no-cache=\"a")],
            .sent),
        Scenario(
            "5.2.2.5", "no-store in quotes without an end", [("Cache-Control", "max-age=3600, ext=\"a, no-store")],
            .sent),
        Scenario(
            "5.2.2.3", "nor does must-understand store what quotes without an end may hide",
            [("Cache-Control", "must-understand, max-age=3600, ext=\"a, no-cache")], .sent),
        Scenario(
            "5.2.2.7", "private fields of a public response aren't stored",
            .first([("Cache-Control", "public, private=\"x-user\", max-age=60"), ("X-User", "1"), ("X-B", "2")]),
            .then(.stored, received: [("X-User", ""), ("X-B", "2")])),
        Scenario(
            "5.2.2.3", "must-understand stores what no-store forbids",
            [("Cache-Control", "must-understand, no-store, max-age=60")], .stored),
        Scenario(
            "5.2.2.3", "not with an unknown status", [("Cache-Control", "must-understand, max-age=60")], status: 299,
            .sent),
        Scenario(
            "5.2.2.2", "must-revalidate is fresh first", [("Cache-Control", "max-age=10, must-revalidate")], .stored),
        Scenario(
            "5.2.2.2", "and validated when it is stale",
            [("Cache-Control", "max-age=2, must-revalidate"), ("ETag", "\"a\"")], .validated),
        Scenario("5.2.2.9", "public alone is no freshness", [("Cache-Control", "public")], .sent),
        Scenario(
            "3.1", "fields of the connection aren't stored",
            .first([
                ("Cache-Control", "max-age=60"), ("Connection", "a, B"), ("a", "1"), ("b", "2"), ("c", "3"),
                ("Keep-Alive", "x"), ("Proxy-Authenticate", "x"), ("Upgrade", "x"), ("TE", "x"),
                ("Transfer-Encoding", "x"), ("Proxy-Connection", "x"), ("Trailer", "x"),
            ]),
            .then(
                .stored,
                received: [
                    ("Connection", ""), ("a", ""), ("b", ""), ("c", "3"), ("Keep-Alive", ""),
                    ("Proxy-Authenticate", ""),
                    ("Upgrade", ""), ("TE", ""), ("Transfer-Encoding", ""), ("Proxy-Connection", ""), ("Trailer", ""),
                ])),
        Scenario(
            "3.1", "cookies and secrets are stored in memory",
            .first([
                ("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b"), ("X-Auth-Token", "t"),
                ("WWW-Authenticate", "Basic"),
            ]),
            .then(.stored, received: [("Set-Cookie", "a=b"), ("X-Auth-Token", "t"), ("WWW-Authenticate", "")])),
        Scenario(
            "3.1", "but not those of a response that others get",
            .first([
                ("Cache-Control", "public, max-age=60"), ("Set-Cookie", "a=b"), ("X-Auth-Token", "t"),
                ("X-Frame-Options", "deny"),
            ]),
            .then(.stored, received: [("Set-Cookie", ""), ("X-Auth-Token", ""), ("X-Frame-Options", "deny")])),
        Scenario(
            "RFC 8246", "immutable isn't validated while it is fresh",
            .first([("Cache-Control", "max-age=10, immutable"), ("ETag", "\"a\"")]),
            .then(.stored, headers: [("Cache-Control", "max-age=0")]), .then(.stored, mode: .revalidate)),
        Scenario(
            "RFC 8246", "but when it is stale", .first([("Cache-Control", "max-age=2, immutable"), ("ETag", "\"a\"")]),
            .validated(mode: .revalidate)),
    ]

    private static let codes = [
        200, 203, 204, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599,
    ]

    static let fresh: [Scenario] = codes.map {
        Scenario("3", "\($0) is stored with freshness", [("Cache-Control", "max-age=60")], status: $0, .stored)
    }

    static let stale: [Scenario] = codes.map {
        Scenario("4.2.4", "\($0) isn't reused when stale", [("Cache-Control", "max-age=2")], status: $0, .sent)
    }

    static let unstored: [Scenario] = [206, 401, 407].map {
        Scenario("3", "\($0) isn't stored", [("Cache-Control", "max-age=60")], status: $0, .sent)
    }

    static let ofOneRequest: [Scenario] = [428, 429, 431, 511].map {
        Scenario(
            "RFC 6585 §3 to §6", "\($0) isn't stored, and replaces nothing",
            .first([("Cache-Control", "max-age=2"), ("ETag", "\"a\"")]),
            .first([("Cache-Control", "public, max-age=60")], status: $0, pause: 0), .validated(body: 1))
    }

    private static func variant(_ vary: String, _ headers: [(String, String)]) -> Scenario.Step {
        .first([("Cache-Control", "max-age=5000"), ("Vary", vary)], headers: headers)
    }

    private static let manyNames = (0..<51).map { "X-\($0)" }.joined(separator: ", ")

    static let variants: [Scenario] = [
        Scenario("4.1", "a response with too many isn't stored", variant(manyNames, []), .then(.sent)),
        Scenario(
            "4.1", "nor is one kept that has them after a 304",
            .first([("Cache-Control", "max-age=2"), ("ETag", "\"a\"")]),
            .validated([("Cache-Control", "max-age=5000"), ("Vary", manyNames)]), .then(.sent)),
        Scenario("4.1", "a matching request", variant("Foo", [("Foo", "1")]), .then(.stored, headers: [("Foo", "1")])),
        Scenario("4.1", "another one", variant("Foo", [("Foo", "1")]), .then(.sent, headers: [("Foo", "2")])),
        Scenario("4.1", "a request without it", variant("Foo", [("Foo", "1")]), .then(.sent)),
        Scenario("4.1", "both without it", variant("Foo, Bar", []), .then(.stored)),
        Scenario("4.1", "only the second has it", variant("Foo", []), .then(.sent, headers: [("Foo", "")])),
        Scenario(
            "4.1", "several variants are kept", variant("foo", [("Foo", "1")]), variant("Foo", [("Foo", "2")]),
            .then(.stored, headers: [("Foo", "1")], body: 1), .then(.stored, headers: [("Foo", "2")], body: 2)),
        Scenario(
            "4.1", "other headers don't matter", variant("Foo", [("Foo", "1"), ("Other", "2")]),
            .then(.stored, headers: [("Foo", "1"), ("Other", "3")])),
        Scenario(
            "4.1", "two of two match", variant("Foo, Bar", [("Foo", "1"), ("Bar", "a")]),
            .then(.stored, headers: [("Bar", "a"), ("Foo", "1")]), .then(.sent, headers: [("Bar", "b"), ("Foo", "1")])),
        Scenario(
            "4.1", "white space of lists is normal", variant("Foo", [("Foo", "1,2")]),
            .then(.stored, headers: [("Foo", " 1, 2 ")]), .then(.stored, headers: [("Foo", "1"), ("Foo", "2")])),
        Scenario(
            "4.1", "a response without Vary is for all",
            .first([("Cache-Control", "max-age=60")], headers: [("Foo", "1")]),
            .then(.stored, headers: [("Foo", "2")])),
        Scenario(
            "4.1", "a variant without Vary replaces the others", variant("Foo", [("Foo", "1")]),
            .first([("Cache-Control", "max-age=60")], headers: [("Foo", "2")]),
            .then(.stored, headers: [("Foo", "3")])),
    ]

    static let stars: [Scenario] = ["*", "*, *", ", *", "*, Foo", "Foo, *"].map { vary in
        Scenario(
            "4.1", "Vary: \(vary) never matches", variant(vary, [("Foo", "1")]), .then(.sent, headers: [("Foo", "1")]))
    }

    static let requests: [Scenario] = [
        Scenario(
            "4", "another query is another key", .first([("Cache-Control", "max-age=60")], path: "/a?b=1"),
            .then(.sent, path: "/a?b=2"), .then(.stored, path: "/a?b=1")),
        Scenario(
            "4", "a fragment isn't sent", .first([("Cache-Control", "max-age=60")], path: "/a#1"),
            .then(.stored, path: "/a#2")),
        Scenario(
            "3.5", "credentials have a session",
            .first([("Cache-Control", "max-age=60")], headers: [("Authorization", "a")]),
            .then(.stored, headers: [("Authorization", "a")]), .then(.sent, headers: [("Authorization", "b")])),
        Scenario(
            "3.5", "no other request gets it",
            .first([("Cache-Control", "max-age=60")], headers: [("Authorization", "a")]),
            .then(.sent)),
        Scenario(
            "3.5", "nor does a user get a response without credentials", .first([("Cache-Control", "max-age=60")]),
            .then(.sent, headers: [("Authorization", "a")])),
        Scenario(
            "3.5", "public is for everyone",
            .first([("Cache-Control", "public, max-age=60")], headers: [("Authorization", "a")]),
            .then(.stored, headers: [("Authorization", "b")]), .then(.stored)),
        Scenario(
            "3.5", "public and private is private",
            .first([("Cache-Control", "public, private, max-age=60")], headers: [("Authorization", "a")]),
            .then(.sent, headers: [("Authorization", "b")])),
        Scenario(
            "3.5", "credentials for one request have no session",
            .first([("Cache-Control", "max-age=60")], headers: [("Authorization", "Digest nc=1")]),
            .then(.sent, headers: [("Authorization", "Digest nc=1")])),
        Scenario(
            "3.5", "but what is public is stored",
            .first([("Cache-Control", "public, max-age=60")], headers: [("Authorization", "Digest nc=1")]),
            .then(.stored, headers: [("Authorization", "Digest nc=2")])),
        Scenario(
            "3.5", "cookies are credentials", .first([("Cache-Control", "max-age=60")], headers: [("Cookie", "a=b")]),
            .then(.sent, headers: [("Cookie", "a=c")])),
        Scenario(
            "7.3", "Set-Cookie inhibits nothing", [("Cache-Control", "max-age=60"), ("Set-Cookie", "a=b")], .stored),
        Scenario(
            "14.2", "a range of a stale response passes", .first([("Cache-Control", "max-age=2")]),
            .then(.sent, headers: [("Range", "bytes=0-1")])),
        Scenario(
            "14.2", "several ranges pass", .first([("Cache-Control", "max-age=60")]),
            .then(.sent, headers: [("Range", "bytes=0-1,3-4")])),
        Scenario(
            "14.2", "a range with a condition passes", .first([("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]),
            .then(.sent, headers: [("Range", "bytes=0-1"), ("If-Range", "\"a\"")])),
        Scenario(
            "14.2", "a range of a compressed body passes",
            .first([("Cache-Control", "max-age=60"), ("Content-Encoding", "gzip")]),
            .then(.sent, headers: [("Range", "bytes=0-1")])),
        Scenario(
            "14.2", "a range beyond the end passes", .first([("Cache-Control", "max-age=60")]),
            .then(.sent, headers: [("Range", "bytes=100-")])),
        Scenario(
            "4.3.2", "a caller's condition passes", .first([("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]),
            .then(.sent, headers: [("If-None-Match", "\"a\"")], outgoing: [("If-None-Match", "\"a\"")])),
    ]
}
