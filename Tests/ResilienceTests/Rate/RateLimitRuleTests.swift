import HttpMessages
import TestSupport
import Testing

@testable import Resilience

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct RateLimitRuleTests {
    /// 784111777 seconds since 1970.
    private let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private func pause(_ rule: RateLimitRule, _ headers: HttpHeaders, status: Int = 200) -> Duration? {
        let request = HttpRequest(method: .get, url: URL(filePath: "/"))
        return rule.pause(HttpResponse(request: request, status: status, headers: headers))
    }

    @Test(
        arguments: [
            (200, ["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "784111807"], nil),
            (200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111807"], .seconds(30)),
            (403, ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "784111807"], .seconds(30)),
            (403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111000"], .zero),
            (403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon"], nil),
            (403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "-1"], nil),
            (403, ["X-RateLimit-Remaining": "0"], nil),
            (403, ["Retry-After": "60"], .seconds(60)), (429, ["Retry-After": "60"], .seconds(60)),
            (200, ["Retry-After": "60"], nil), (403, [:], nil),
            (
                429, ["Retry-After": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111807"],
                .seconds(60)
            ),
            (
                429, ["Retry-After": "6", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111807"],
                .seconds(30)
            ),
        ] as [(Int, HttpHeaders, Duration?)])
    func gitHubsHeaders(status: Int, headers: HttpHeaders, expected: Duration?) {
        var headers = headers
        headers["Date"] = date
        #expect(pause(.github, headers, status: status) == expected)
    }

    @Test func withoutADateOfTheServerTheClientsTimeCounts() throws {
        let reset = Int(Date().timeIntervalSince1970) + 1_000
        let time = pause(.github, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "\(reset)"])
        #expect(try #require(time) > .seconds(900))
    }

    @Test(
        arguments: [
            (429, "7", .seconds(7)), (503, "7", .seconds(7)), (403, "7", nil), (200, "7", nil), (429, "soon", nil),
        ] as [(Int, String, Duration?)])
    func retryAfterOfARejection(status: Int, value: String, expected: Duration?) {
        #expect(pause(.retryAfter, ["Retry-After": value], status: status) == expected)
    }

    @Test(
        arguments: [
            // draft-ietf-httpapi-ratelimit-headers-10
            (["RateLimit": #""default";r=50;t=30"#], nil), (["RateLimit": #""default";r=0;t=30"#], 30),
            (["RateLimit": #""a";r=0;t=5, "b";r=0;t=9, "c";r=1;t=99"#], 9),
            (["RateLimit": #""a";r=0"#, "RateLimit-Policy": #""b";q=1;w=5,"a";q=100;w=60"#], 60),
            (["RateLimit": #""a";r=0"#, "RateLimit-Policy": #""b";q=1;w=5"#], nil), (["RateLimit": #""a";r=0"#], nil),
            (["RateLimit": #""a";r=0;t=5;pk=:cHsdsRa894==:"#], 5), (["RateLimit": #""a,;\"";r=0;t=5"#], 5),
            (["RateLimit": "default; r=0; t=5"], 5), (["RateLimit": #""a";x;r=0;t=5"#], 5),
            // draft 07
            (["RateLimit": "limit=100, remaining=0, reset=50"], 50),
            (["RateLimit": "limit=100, remaining=1, reset=50"], nil), (["RateLimit": "remaining=0"], nil),
            // draft 06
            (["RateLimit-Limit": "100", "RateLimit-Remaining": "0", "RateLimit-Reset": "50"], 50),
            (["RateLimit-Remaining": "1", "RateLimit-Reset": "50"], nil), (["RateLimit-Remaining": "0"], nil),
            (["RateLimit-Remaining": "0", "RateLimit-Reset": "1e3"], nil),
            // Malformed fields are ignored.
            (["RateLimit": #""a";r=0;t=5,"#], nil), (["RateLimit": #""a;r=0;t=5"#], nil),
            (["RateLimit": #""a";r=0;t=-5"#], nil), (["RateLimit": #""a";r=0;t=5.5"#], nil),
            (["RateLimit": #""a";r=0 ;t=5"#], nil), (["RateLimit": #"("a" "b");r=0;t=5"#], nil),
            (["RateLimit": #""a";r=0;t="#], nil), (["RateLimit": #""a";=0"#], nil), (["RateLimit": ""], nil),
            (["RateLimit": #""\a";r=0;t=5"#], nil), (["RateLimit": #""é";r=0;t=5"#], nil),
            (["RateLimit": #""a";r=0;t=9999999999999999"#], nil),
            (["RateLimit": #""a";r=0;t=999999999999999"#], 999_999_999_999_999),
        ] as [(HttpHeaders, Int64?)])
    func theFieldsOfTheDrafts(headers: HttpHeaders, seconds: Int64?) {
        #expect(pause(.rateLimitFields, headers) == seconds.map { .seconds($0) })
    }

    @Test func severalFieldsAreOneList() {
        var headers: HttpHeaders = ["RateLimit": #""a";r=1;t=5"#]
        headers.add(name: "ratelimit", value: #""b";r=0;t=7"#)
        #expect(pause(.rateLimitFields, headers) == .seconds(7))
    }

    @Test func retryAfterWins() {
        let headers: HttpHeaders = ["RateLimit": #""a";r=0;t=30"#, "Retry-After": "5"]
        #expect(pause(.rateLimitFields, headers, status: 429) == .seconds(5))
        #expect(pause(.rateLimitFields, headers) == .seconds(30))
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func anyBytesAreParsed(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = Array(#"ab"\;=,0159 rtw()é:?"#)
        for _ in 0..<200 {
            let length = Int.random(in: 0...24, using: &random)
            let text = String((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "a" })
            var parser = FieldParser(text)
            for member in parser.members() ?? [] { #expect(member.parameters.values.allSatisfy { $0 >= 0 }) }
        }
    }
}
