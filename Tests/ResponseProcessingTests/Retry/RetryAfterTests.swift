import Testing
import UrlTransport

@testable import ResponseProcessing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        arguments: [
            ("120", 120), ("0", 0), ("0000", 0), ("7", 7),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:51:37 GMT", 120),
            ("Sunday, 06-Nov-94 08:51:37 GMT", 120), ("Sun Nov  6 08:51:37 1994", 120),
            ("Wed Nov 16 08:49:37 1994", 864_000),
            ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("Fri, 31 Dec 1993 23:59:59 GMT", 0),
            ("Sunday, 06-Nov-93 08:51:37 GMT", 0),
            ("Wed, 31 Dec 1994 23:59:60 GMT", 4_806_623), ("Wed, 29 Feb 1996 00:00:00 GMT", 41_440_223),
        ])
    func aNumberOrADateOfAnyFormIsADelay(text: String, seconds: Int) {
        #expect(RetryAfter(text, now: Self.now)?.delay == .seconds(seconds))
    }

    @Test(
        arguments: [
            "", " ", "-1", "1.5", "soon", "1e3", "+5", "0x10", "12 0", "１２", "120s",
            "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "1994-11-06T08:49:37Z",
            "Sun, 30 Feb 1995 00:00:00 GMT",
            "Sun, 06 Nov 1994 x:08:49:37 GMT", "Sun, 06 Nov 1994 08:+4:37 GMT", "Wed, 29 Feb 1900 00:00:00 GMT",
            "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
        ])
    func anythingElseIsIgnored(text: String) {
        #expect(RetryAfter(text, now: Self.now) == nil)
    }

    @Test(arguments: ["99999999999", "9999999999999999999999999999999999999999"])
    func aVeryLargeNumberIsAVeryLongTime(text: String) throws {
        #expect(try #require(RetryAfter(text, now: Self.now)).delay == .seconds(10 * 365 * 86_400))
    }

    @Test func aYearOfTwoDigitsIsAtMostFiftyYearsAhead() throws {
        let in2026 = Date(timeIntervalSince1970: 1_767_225_600)
        #expect(try #require(RetryAfter("Saturday, 01-Jan-77 00:00:00 GMT", now: in2026)).delay == .zero)
        #expect(
            try #require(RetryAfter("Thursday, 01-Jan-76 00:00:00 GMT", now: in2026)).delay
                > .seconds(49 * 365 * 86_400))
        #expect(try #require(RetryAfter("Thursday, 01-Jan-26 00:00:30 GMT", now: in2026)).delay == .seconds(30))
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 30), ("Sun, 06 Nov 1994 08:49:07 GMT", 60),
            ("Sun, 06 Nov 1994 09:00:00 GMT", 0),
        ])
    func aDateIsMeantByTheClockOfTheServer(date: String, seconds: Int) {
        let wish = RetryAfter(["Date": date, "Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT"] as HttpHeaders)
        #expect(wish?.delay == .seconds(seconds))
    }

    @Test func withoutADateOfTheServerTheClockOfTheClientCounts() throws {
        for headers in [["Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"], ["Date": "now"]] as [HttpHeaders] {
            let wish = RetryAfter(headers)
            #expect(headers["Date"] == nil ? try #require(wish).delay > .seconds(86_400) : wish == nil)
        }
    }
}
