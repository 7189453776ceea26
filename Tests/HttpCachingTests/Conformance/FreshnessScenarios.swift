import HttpMessages
import Testing

/// RFC 9111 §4.2, §5.1, §5.2.2.1 and §5.3: how long a response is fresh.
@Suite struct FreshnessScenarios {
    @Test(arguments: Array([maxAge, expires, age, heuristicStatuses, otherStatuses, heuristic].joined()))
    func isFreshAsTheSpecificationSays(_ scenario: Scenario) async throws {
        try await scenario.run()
    }

    static let maxAge: [Scenario] = [
        Scenario("4.2", "without freshness or validator it isn't reused", [], .sent),
        Scenario("4.2.1", "max-age is the lifetime", [("Cache-Control", "max-age=3600")], .stored),
        Scenario("4.2.1", "a lifetime that has passed is stale", [("Cache-Control", "max-age=3")], .sent),
        Scenario("4.2.1", "a lifetime is fresh up to its end", [("Cache-Control", "max-age=4")], .stored),
        Scenario("5.2.2.1", "max-age=0 isn't reused", [("Cache-Control", "max-age=0")], after: 0, .sent),
        Scenario("5.2.2.1", "quoted", [("Cache-Control", "max-age=\"3600\"")], .stored),
        Scenario("5.2", "names are case-insensitive", [("Cache-Control", "MaX-aGe=3600")], .stored),
        Scenario("5.2.2.1", "leading zeros", [("Cache-Control", "max-age=003600")], .stored),
        Scenario("1.2.2", "2^31", [("Cache-Control", "max-age=2147483648")], .stored),
        Scenario("1.2.2", "more than 2^31", [("Cache-Control", "max-age=99999999999999999999999")], .stored),
        Scenario("4.2.1", "single quotes are no quotes", [("Cache-Control", "max-age='3600'")], .sent),
        Scenario("4.2.1", "a letter before the number", [("Cache-Control", "max-age=a3600")], .sent),
        Scenario("4.2.1", "a letter after the number", [("Cache-Control", "max-age=3600a")], .sent),
        Scenario("4.2.1", "negative", [("Cache-Control", "max-age=-3600")], .sent),
        Scenario("4.2.1", "a fraction", [("Cache-Control", "max-age=3600.5")], .sent),
        Scenario("4.2.1", "a blank before the sign", [("Cache-Control", "max-age =3600")], .sent),
        Scenario("4.2.1", "a blank after the sign", [("Cache-Control", "max-age= 3600")], .sent),
        Scenario("4.2.1", "no value", [("Cache-Control", "max-age")], .sent),
        Scenario("4.2.1", "the first of two, fresh", [("Cache-Control", "max-age=1800, max-age=1")], .stored),
        Scenario("4.2.1", "the first of two, stale", [("Cache-Control", "max-age=1, max-age=1800")], .sent),
        Scenario(
            "4.2.1", "the first of two fields",
            [("Cache-Control", "max-age=1"), ("Cache-Control", "max-age=1800")], .sent),
        Scenario(
            "5.2", "a quoted string is no directive", [("Cache-Control", "extension=\"max-age=3600\", max-age=1")],
            .sent),
        Scenario(
            "5.2", "nor after it", [("Cache-Control", "max-age=1, extension=\"max-age=3600\"")], .sent),
        Scenario("5.2.3", "unknown directives are ignored", [("Cache-Control", "foobar, max-age=3600")], .stored),
        Scenario(
            "5.2.2.10", "s-maxage is for shared caches", [("Cache-Control", "s-maxage=3600, max-age=1")], .sent),
        Scenario("5.2.2.10", "s-maxage alone is nothing", [("Cache-Control", "s-maxage=3600")], .sent),
        Scenario(
            "5.3", "max-age counts before Expires",
            [("Cache-Control", "max-age=3600"), ("Expires", "@-10000"), ("Date", "@+0")], .stored),
        Scenario(
            "5.3", "max-age counts before an invalid Expires",
            [("Cache-Control", "max-age=3600"), ("Expires", "0")], .stored),
        Scenario(
            "5.3", "max-age=0 counts before Expires", [("Cache-Control", "max-age=0"), ("Expires", "@+10000")], .sent),
    ]

    static let expires: [Scenario] = [
        Scenario("4.2.1", "a future Expires", [("Expires", "@+86400"), ("Date", "@+0")], .stored),
        Scenario("4.2.1", "a past Expires", [("Expires", "@-86400"), ("Date", "@+0")], .sent),
        Scenario("4.2.1", "a present Expires", [("Expires", "@+0"), ("Date", "@+0")], after: 0, .sent),
        Scenario("4.2.1", "both in the future, in the wrong order", [("Expires", "@+300"), ("Date", "@+400")], .sent),
        Scenario("5.3", "0 has expired", [("Expires", "0"), ("Date", "@+0")], .sent),
        Scenario("5.3", "without a Date the time of arrival counts", [("Expires", "@+100")], .stored),
        Scenario("5.3", "an invalid Date is none", [("Date", "foo"), ("Expires", "@+100")], .stored),
        Scenario("5.3", "wrong case of the weekday", [("Expires", "THU, 18 Aug 2050 02:01:18 GMT")], .stored),
        Scenario("5.3", "wrong case of the month", [("Expires", "Thu, 18 AUG 2050 02:01:18 GMT")], .stored),
        Scenario("5.3", "wrong case of the zone", [("Expires", "Thu, 18 Aug 2050 02:01:18 gMT")], .stored),
        Scenario("5.3", "UTC has expired", [("Expires", "Thu, 18 Aug 2050 02:01:18 UTC")], .sent),
        Scenario("5.3", "another zone has expired", [("Expires", "Thu, 18 Aug 2050 02:01:18 PST")], .sent),
        Scenario("5.3", "no comma has expired", [("Expires", "Thu 18 Aug 2050 02:01:18 GMT")], .sent),
        Scenario("5.3", "two blanks have expired", [("Expires", "Thu, 18  Aug  2050 02:01:18 GMT")], .sent),
        Scenario("5.3", "hyphens have expired", [("Expires", "Thu, 18-Aug-2050 02:01:18 GMT")], .sent),
        Scenario("5.3", "a two-digit year has expired", [("Expires", "Thu, 18 Aug 50 02:01:18 GMT")], .sent),
        Scenario("5.3", "periods have expired", [("Expires", "Thu, 18 Aug 2050 02.01.18 GMT")], .sent),
        Scenario("5.3", "a one-digit hour has expired", [("Expires", "Thu, 18 Aug 2050 2:01:18 GMT")], .sent),
        Scenario("5.3", "RFC 850", [("Expires", "Thursday, 18-Aug-50 02:01:18 GMT")], .stored),
        Scenario("5.3", "asctime", [("Expires", "Thu Aug 18 02:01:18 2050")], .stored),
        Scenario("5.3", "a date of mail", [("Expires", "8 Aug 2050 02:01 +0000")], .stored),
    ]

    static let age: [Scenario] = [
        Scenario(
            "4.2.3", "Age adds to the age", [("Cache-Control", "max-age=3600"), ("Age", "3590")], after: 11, .sent),
        Scenario("4.2.3", "an Age below", [("Cache-Control", "max-age=3600"), ("Age", "1800")], .stored),
        Scenario(
            "4.2.3", "Date adds to the age", [("Cache-Control", "max-age=3600"), ("Date", "@-7200")], .sent),
        Scenario(
            "4.2.3", "Date in the future is no age", [("Cache-Control", "max-age=3600"), ("Date", "@+7200")], .stored),
        Scenario(
            "4.2.3", "the greater of Date and Age",
            [("Date", "@-10"), ("Expires", "@+10"), ("Age", "25")], after: 0, .sent),
        Scenario("5.1", "no number is ignored", [("Cache-Control", "max-age=3600"), ("Age", "abc")], .stored),
        Scenario("5.1", "negative is ignored", [("Cache-Control", "max-age=3600"), ("Age", "-7200")], .stored),
        Scenario("5.1", "a fraction is ignored", [("Cache-Control", "max-age=3600"), ("Age", "7200.0")], .stored),
        Scenario("5.1", "the first of a list", [("Cache-Control", "max-age=3600"), ("Age", "7200, 0")], .sent),
        Scenario(
            "5.1", "the first of two", [("Cache-Control", "max-age=3600"), ("Age", "0"), ("Age", "7200")], .stored),
        Scenario(
            "5.1", "the first of two, old", [("Cache-Control", "max-age=3600"), ("Age", "7200"), ("Age", "0")], .sent),
        Scenario(
            "5.1", "a stored response has an Age", .first([("Cache-Control", "max-age=3600")]),
            .then(.stored, received: [("Age", "3")])),
        Scenario(
            "5.1", "Age is updated", .first([("Cache-Control", "max-age=3600"), ("Age", "30")]),
            .then(.stored, received: [("Age", "33")])),
        Scenario(
            "5.1", "Date isn't", .first([("Cache-Control", "max-age=600"), ("Date", "Tue, 14 Nov 2023 22:13:20 GMT")]),
            .then(.stored, received: [("Date", "Tue, 14 Nov 2023 22:13:20 GMT")])),
    ]

    static let heuristicStatuses: [Scenario] = [200, 203, 204, 404, 405, 410, 414, 501].map {
        Scenario("4.2.2", "\($0) is heuristically fresh", [("Last-Modified", "@-86400")], status: $0, .stored)
    }

    static let otherStatuses: [Scenario] = [201, 202, 403, 500, 502, 503, 504, 599].map {
        Scenario("4.2.2", "\($0) isn't", [("Last-Modified", "@-86400")], status: $0, .sent)
    }

    static let heuristic: [Scenario] = [
        Scenario(
            "4.2.2", "599 is with public", [("Last-Modified", "@-86400"), ("Cache-Control", "public")], status: 599,
            .stored),
        Scenario("4.2.2", "up to 10 %", [("Last-Modified", "@-1000")], after: 99, .stored),
        Scenario("4.2.2", "not beyond", [("Last-Modified", "@-1000")], after: 101, .validated),
        Scenario("4.2.2", "up to a day", [("Last-Modified", "@-99999999")], after: 86_399, .stored),
        Scenario("4.2.2", "not beyond a day", [("Last-Modified", "@-99999999")], after: 86_401, .validated),
        Scenario("4.2.2", "the future is no age", [("Last-Modified", "@+1000")], after: 0, .validated),
        Scenario(
            "4.2.2", "only without an explicit one", [("Last-Modified", "@-86400"), ("Cache-Control", "max-age=1")],
            .validated),
    ]
}
