import HttpMessages
import Testing

@testable import HttpCaching

/// RFC 9111 §3.2, §4.2.4, §4.3, §4.4 and §5.2.1, RFC 5861: validation, stale responses, invalidation.
@Suite struct ValidationScenarios {
    @Test(arguments: Array([conditions, updates, requests, stale, invalidation, noInvalidation].joined()))
    func isValidatedAsTheSpecificationSays(_ scenario: Scenario) async throws {
        try await scenario.run()
    }

    private static let old = [("Cache-Control", "max-age=1")]
    private static let date = "Tue, 14 Nov 2023 20:13:20 GMT"

    static let conditions: [Scenario] = [
        Scenario(
            "4.3.1", "a strong tag", .first(old + [("ETag", "\"a\"")]),
            .validated(outgoing: [("If-None-Match", "\"a\""), ("If-Modified-Since", "")])),
        Scenario(
            "4.3.1", "a weak tag", .first(old + [("ETag", "W/\"a\"")]),
            .validated(outgoing: [("If-None-Match", "W/\"a\"")])),
        Scenario(
            "4.3.1", "a date", .first(old + [("Last-Modified", date)]),
            .validated(outgoing: [("If-Modified-Since", date)])),
        Scenario(
            "4.3.1", "both", .first(old + [("ETag", "\"a\""), ("Last-Modified", date)]),
            .validated(outgoing: [("If-None-Match", "\"a\""), ("If-Modified-Since", date)])),
        Scenario(
            "4.3.1", "what is no tag isn't sent", .first(old + [("ETag", "a\", \"b")]),
            .then(.sent, outgoing: [("If-None-Match", "")])),
        Scenario(
            "4.3.1", "the headers of the request stay",
            .first(old + [("ETag", "\"a\""), ("Vary", "Abc")], headers: [("Abc", "1")]),
            .validated(headers: [("Abc", "1")], outgoing: [("Abc", "1")])),
        Scenario(
            "4.3.1", "tags of other variants are sent, and select one",
            .first(old + [("ETag", "\"a\""), ("Vary", "F")], headers: [("F", "1")]),
            .first(old + [("ETag", "\"b\""), ("Vary", "F")], headers: [("F", "2")]),
            .validated([("ETag", "\"b\"")], headers: [("F", "3")], outgoing: [("If-None-Match", "\"a\", \"b\"")])),
        Scenario(
            "4.3.1", "a date of another variant isn't",
            .first(old + [("Last-Modified", date), ("Vary", "F")], headers: [("F", "1")]),
            .then(.sent, headers: [("F", "2")], outgoing: [("If-Modified-Since", "")])),
        Scenario(
            "4.3.3", "a full response replaces it", .first(old + [("ETag", "\"a\"")]),
            .first([("Cache-Control", "max-age=60"), ("ETag", "\"b\"")]), .then(.stored)),
        Scenario(
            "4.3.4", "a weak comparison confirms", .first(old + [("ETag", "\"a\"")]), .validated([("ETag", "W/\"a\"")])),
    ]

    static let updates: [Scenario] = [
        Scenario(
            "3.2", "a 304 keeps what it omits",
            .first(old + [("ETag", "\"a\""), ("X-A", "1"), ("Content-Length", "6")]),
            .validated([("Cache-Control", "max-age=60")], received: [("X-A", "1")]),
            .then(.stored, received: [("X-A", "1")])),
        Scenario(
            "3.2", "a 304 replaces what it has",
            .first(old + [("ETag", "\"a\""), ("X-A", "1"), ("Content-Type", "text/plain")]),
            .validated(
                [("Cache-Control", "max-age=60"), ("X-A", "2"), ("Content-Type", "text/html")],
                received: [("X-A", "2"), ("Content-Type", "text/html")]),
            .then(.stored, received: [("X-A", "2"), ("Content-Type", "text/html")])),
        Scenario(
            "3.2", "but what describes the body", .first(old + [("ETag", "\"a\""), ("Content-Length", "6")]),
            .validated(
                [
                    ("Content-Length", "0"), ("Content-Encoding", "br"), ("Transfer-Encoding", "chunked"),
                    ("Connection", "x"),
                ],
                received: [
                    ("Content-Length", "6"), ("Content-Encoding", ""), ("Transfer-Encoding", ""), ("Connection", ""),
                ])),
        Scenario(
            "4.3.4", "a weak tag doesn't become a strong one", .first(old + [("ETag", "W/\"a\"")]),
            .validated(
                [("Cache-Control", "max-age=1"), ("ETag", "\"a\"")], received: [("ETag", "W/\"a\"")], pause: 3),
            .validated(outgoing: [("If-None-Match", "W/\"a\"")])),
        Scenario(
            "4.3.4", "a strong tag becomes a weak one", .first(old + [("ETag", "\"a\"")]),
            .validated(
                [("Cache-Control", "max-age=1"), ("ETag", "W/\"a\"")], received: [("ETag", "W/\"a\"")], pause: 3),
            .validated(outgoing: [("If-None-Match", "W/\"a\"")])),
        Scenario(
            "3.2", "the age is that of the 304",
            .first([("Cache-Control", "max-age=3"), ("ETag", "\"a\""), ("Age", "2")]),
            .validated(pause: 2), .then(.stored, received: [("Age", "2")])),
        Scenario(
            "3.2", "a 304 with no-store ends the storing", .first(old + [("ETag", "\"a\"")]),
            .validated([("Cache-Control", "no-store")]), .then(.sent, outgoing: [("If-None-Match", "")])),
        Scenario(
            "4.3.5", "a HEAD is served from a GET", .first([("Cache-Control", "max-age=60"), ("X-A", "1")]),
            .init(method: .head, expected: .stored, received: [("X-A", "1")])),
        Scenario(
            "4.3.5", "a HEAD updates a GET", .first(old + [("X-A", "1"), ("X-B", "1")]),
            .init(method: .head, response: [("Cache-Control", "max-age=60"), ("X-A", "2")]),
            .then(.stored, received: [("X-A", "2"), ("X-B", "1")])),
        Scenario(
            "4.3.5", "another length makes it stale",
            .first([("Cache-Control", "max-age=60"), ("Content-Length", "6")]),
            .init(
                method: .head, mode: .reload, response: [("Cache-Control", "max-age=60"), ("Content-Length", "7")]),
            .then(.sent)),
        Scenario(
            "4.3.5", "another tag makes it stale", .first(old + [("ETag", "\"a\"")]),
            .init(method: .head, response: [("Cache-Control", "max-age=60"), ("ETag", "\"b\"")]),
            .then(.sent, outgoing: [("If-None-Match", "")])),
    ]

    static let requests: [Scenario] = [
        Scenario(
            "5.2.1.1", "max-age=0", .first([("Cache-Control", "max-age=60")]),
            .then(.sent, headers: [("Cache-Control", "max-age=0")])),
        Scenario(
            "5.2.1.1", "max-age=2", .first([("Cache-Control", "max-age=60")]),
            .then(.sent, headers: [("Cache-Control", "max-age=2")])),
        Scenario(
            "5.2.1.1", "max-age above the age", .first([("Cache-Control", "max-age=3600"), ("Age", "100")]),
            .then(.stored, headers: [("Cache-Control", "max-age=600")])),
        Scenario(
            "5.2.1.2", "max-stale", .first(old),
            .then(.stale(.accepted), headers: [("Cache-Control", "max-stale=1000")])),
        Scenario(
            "5.2.1.2", "max-stale, exceeded", .first(old), .then(.sent, headers: [("Cache-Control", "max-stale=1")])),
        Scenario(
            "5.2.1.2", "max-stale without a value", .first(old),
            .then(.stale(.accepted), headers: [("Cache-Control", "max-stale")])),
        Scenario("5.2.1.2", "staleAtMost", .first(old), .then(.stale(.accepted), mode: .staleAtMost(.seconds(10)))),
        Scenario("5.2.1.2", "staleAtMost, exceeded", .first(old), .then(.sent, mode: .staleAtMost(.seconds(1)))),
        Scenario(
            "5.2.2.2", "not with must-revalidate", .first([("Cache-Control", "max-age=1, must-revalidate")]),
            .then(.sent, mode: .staleAtMost(.seconds(10)))),
        Scenario(
            "5.2.1.3", "min-fresh", .first([("Cache-Control", "max-age=60")]),
            .then(.sent, headers: [("Cache-Control", "min-fresh=100")])),
        Scenario(
            "5.2.1.4", "no-cache", .first([("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]),
            .validated(headers: [("Cache-Control", "no-cache")])),
        Scenario(
            "5.4", "Pragma", .first([("Cache-Control", "max-age=60")]), .then(.sent, headers: [("Pragma", "no-cache")])),
        Scenario(
            "5.4", "Pragma with Cache-Control", .first([("Cache-Control", "max-age=60")]),
            .then(.stored, headers: [("Pragma", "no-cache"), ("Cache-Control", "max-age=50")])),
        Scenario(
            "5.2.1.5", "no-store", .first([("Cache-Control", "max-age=60")]),
            .then(.sent, headers: [("Cache-Control", "no-store")])),
        Scenario(
            "5.2.1.5", "no-store isn't stored",
            .first([("Cache-Control", "max-age=60")], headers: [("Cache-Control", "no-store")]),
            .then(.sent)),
        Scenario(
            "5.2.1.7", "only-if-cached without one", .then(.failed, headers: [("Cache-Control", "only-if-cached")])),
        Scenario(
            "5.2.1.7", "only-if-cached, fresh", .first([("Cache-Control", "max-age=60")]),
            .then(.stored, headers: [("Cache-Control", "only-if-cached")])),
        Scenario(
            "4.2.4", "only-if-cached accepts nothing stale", .first(old),
            .then(.failed, headers: [("Cache-Control", "only-if-cached")])),
        Scenario(
            "4.2.4", "only-if-cached with max-stale", .first(old),
            .then(.stale(.accepted), headers: [("Cache-Control", "only-if-cached, max-stale")])),
        Scenario(
            "RFC 5861 §3", "only-if-cached validates nothing",
            .first([("Cache-Control", "max-age=1, stale-while-revalidate=60")]),
            .then(.failed, headers: [("Cache-Control", "only-if-cached")])),
        Scenario(
            "5.2.1.1", "only-if-cached with max-age", .first([("Cache-Control", "max-age=60")]),
            .then(.failed, headers: [("Cache-Control", "only-if-cached, max-age=2")])),
        Scenario(
            "5.2.1.3", "only-if-cached with min-fresh", .first([("Cache-Control", "max-age=60")]),
            .then(.failed, headers: [("Cache-Control", "only-if-cached, min-fresh=100")])),
        Scenario("5.2.1.7", "onlyIfCached without one", .then(.failed, mode: .onlyIfCached)),
        Scenario(
            "5.2.1.7", "onlyIfCached, fresh", .first([("Cache-Control", "max-age=60")]),
            .then(.stored, mode: .onlyIfCached)),
        Scenario("5.2.1.7", "onlyIfCached, stale", .first(old), .then(.stale(.accepted), mode: .onlyIfCached)),
        Scenario(
            "5.2.2.2", "onlyIfCached, must-revalidate", .first([("Cache-Control", "max-age=1, must-revalidate")]),
            .then(.failed, mode: .onlyIfCached)),
        Scenario("modes", "onlyIfCached, unsafe", .init(method: .post, mode: .onlyIfCached, expected: .failed)),
        Scenario(
            "modes", "onlyIfCached, unsafe, removes nothing", .first([("Cache-Control", "max-age=60")]),
            .init(method: .delete, mode: .onlyIfCached, expected: .failed), .then(.stored)),
        Scenario(
            "5.2.1.7", "onlyIfCached, a range that isn't stored", .first([("Cache-Control", "no-store")]),
            .then(.failed, headers: [("Range", "bytes=0-1")], mode: .onlyIfCached)),
        Scenario(
            "modes", "reload sends and stores", .first([("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]),
            .init(
                mode: .reload, response: [("Cache-Control", "max-age=60"), ("X-A", "2")],
                outgoing: [("Cache-Control", "no-cache"), ("If-None-Match", "")]),
            .then(.stored, received: [("X-A", "2")])),
        Scenario(
            "modes", "none neither serves nor stores", .first([("Cache-Control", "max-age=60"), ("X-A", "1")]),
            .init(mode: .none, response: [("Cache-Control", "max-age=60"), ("X-A", "2")]),
            .then(.stored, received: [("X-A", "1")], body: 1)),
    ]

    static let stale: [Scenario] = [
        Scenario("4.2.4", "offline", .first(old), .failing(.stale(.offline), .noNetwork)),
        Scenario("4.2.4", "no server", .first(old), .failing(.stale(.offline), .connectionRefused)),
        Scenario("4.2.4", "no proxy", .first(old), .failing(.stale(.offline), .proxyFailed)),
        Scenario(
            "5.2.2.2", "not with must-revalidate", .first([("Cache-Control", "max-age=1, must-revalidate")]),
            .failing(.sent, .noNetwork)),
        Scenario(
            "5.2.2.4", "not with no-cache", .first([("Cache-Control", "no-cache"), ("ETag", "\"a\"")]),
            .failing(.sent, .noNetwork)),
        Scenario("4.2.4", "not after a time limit", .first(old), .failing(.sent, .requestTimedOut)),
        Scenario("4.2.4", "not after a 503", .first(old), .failing(.sent)),
        Scenario("4.2.4", "not when it is reloaded", .first(old), .failing(.sent, .noNetwork, mode: .reload)),
        Scenario(
            "RFC 5861 §4", "stale-if-error after a 503", .first([("Cache-Control", "max-age=1, stale-if-error=60")]),
            .failing(.stale(.error))),
        Scenario(
            "RFC 5861 §4", "and after an error", .first([("Cache-Control", "max-age=1, stale-if-error=60")]),
            .failing(.stale(.error), .connectionLost)),
        Scenario(
            "RFC 5861 §4", "not after a 404", .first([("Cache-Control", "max-age=1, stale-if-error=60")]),
            .failing(.sent, status: 404)),
        Scenario(
            "RFC 5861 §4", "not beyond", .first([("Cache-Control", "max-age=1, stale-if-error=1")]), .failing(.sent)),
        Scenario(
            "RFC 5861 §4", "the request may say it", .first(old),
            .failing(.stale(.error), headers: [("Cache-Control", "stale-if-error=60")])),
        Scenario(
            "RFC 5861 §4", "not with must-revalidate",
            .first([("Cache-Control", "max-age=1, stale-if-error=60, must-revalidate")]), .failing(.sent)),
    ]

    private static let fresh = Scenario.Step.first([("Cache-Control", "max-age=600")])

    private static func unsafe(_ method: HttpMethod, _ status: Int, _ response: [(String, String)] = [])
        -> Scenario.Step
    {
        .init(method: method, status: status, response: response)
    }

    static let invalidation: [Scenario] = [HttpMethod.post, .put, .delete, .patch, "M-SEARCH"].flatMap { method in
        [
            Scenario("4.4", "\(method) invalidates its URL", fresh, unsafe(method, 200), .then(.sent)),
            Scenario("4.4", "\(method) with a redirection does", fresh, unsafe(method, 303), .then(.sent)),
            Scenario("4.4", "\(method) with an error doesn't", fresh, unsafe(method, 500), .then(.stored)),
            Scenario(
                "4.4", "\(method) and Location", fresh,
                .init(method: method, path: "/b", response: [("Location", "/a")]), .then(.sent)),
            Scenario(
                "4.4", "\(method) and Content-Location", fresh,
                .init(method: method, path: "/b", response: [("Content-Location", "https://example.com/a")]),
                .then(.sent)),
        ]
    }

    static let noInvalidation: [Scenario] = [
        Scenario("4.4", "OPTIONS is safe", fresh, unsafe(.options, 200), .then(.stored)),
        Scenario(
            "4.4", "another origin's Location", fresh,
            .init(method: .post, path: "/b", response: [("Location", "https://other.com/a")]), .then(.stored)),
        Scenario("4.4", "no mode prevents it", fresh, .init(method: .post, mode: .none), .then(.sent)),
    ]
}
