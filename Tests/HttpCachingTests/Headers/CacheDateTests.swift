import Testing

@testable import HttpCaching

/// Which texts are dates, and of which second.
@Suite struct CacheDateTests {
    /// 2050-08-18 02:01:18 GMT in seconds since 1970.
    private static let date = 2_544_400_878.0
    private static let day = 86_400.0

    private static let read: [(String, Double)] = [
        // RFC 9110 §5.6.7, in any case.
        ("Thu, 18 Aug 2050 02:01:18 GMT", date),
        ("THU, 18 aug 2050 02:01:18 gmt", date),
        ("Thursday, 18-Aug-50 02:01:18 GMT", date),
        ("Thu Aug 18 02:01:18 2050", date),
        ("Mon Aug  8 02:01:18 2050", date - 10 * day),
        // RFC 5322 §3.3.
        ("Mon, 8 Aug 2050 02:01:18 GMT", date - 10 * day),
        ("18 Aug 2050 02:01:18 GMT", date),
        ("Thu,18 Aug 2050 02:01:18 GMT", date),
        ("Thu, 18 Aug 2050 02:01 GMT", date - 18),
        ("Thu, 18 Aug 2050 02:01:18 +0000", date),
        ("Thu, 18 Aug 2050 02:01:18 -0000", date),
        ("Thu, 18 Aug 2050 02:01:18 +0230", date - 9000),
        ("Wed, 17 Aug 2050 21:01:18 -0500", date),
        // What servers write else.
        ("Thu, 18-Aug-50 02:01:18 GMT", date),
        ("Monday, 8-Aug-50 02:01:18 GMT", date - 10 * day),
        ("Thursday, 18 Aug 2050 02:01:18 GMT", date),
        ("Mon Aug 8 02:01:18 2050", date - 10 * day),
        ("Sun, 18 Aug 2050 02:01:18 GMT", date),
        // The bounds.
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thu, 01 Jan 1970 00:00:00 +0100", -3600),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        // A two-digit year is at most fifty years ahead.
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ]

    @Test(arguments: read) func isADate(_ text: String, _ seconds: Double) {
        #expect(CacheDate.seconds(text, now: 1_700_000_000) == seconds)
    }

    @Test(arguments: [
        // The public suite calls these invalid.
        "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST", "Thu, 18 Aug 50 02:01:18 GMT",
        "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "0",
        // No one date, or none at all.
        "", "-1", "Thu", "Thu,", "18", "2050-08-18T02:01:18Z", "2544400878", "Thu, 18 Aug 2050",
        "Thu, 18 Aug 2050 02 GMT", "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 2050 02:01:18 ",
        "Thu, 18 Aug 2050 02:01:18 GMT+1",
        "Thu, 18 Aug 2050 02:01:18 +1", "Thu, 18 Aug 2050 02:01:18 +2400", "Thu, 18 Aug 2050 02:01:18 +0060",
        "Thu, 18 Aug 2050 02:01:18 *0000", "Thu, 18 Aug 2050 24:00:00 GMT", "Thu, 18 Aug 2050 02:60:00 GMT",
        "Thu, 18 Aug 2050 02:01:61 GMT", "Thu, 18 Aug 2050 02:01: GMT", "Thu, 0 Aug 2050 02:01:18 GMT",
        "Thu, 32 Aug 2050 02:01:18 GMT", "Thu, 29 Feb 2050 02:01:18 GMT", "Thu, 018 Aug 2050 02:01:18 GMT",
        "Thu, 18 Foo 2050 02:01:18 GMT", "Thu, 18 August 2050 02:01:18 GMT", "Thu, 18 Aug 20500 02:01:18 GMT",
        "Thu, 18 Aug 1600 02:01:18 GMT", "Thu, 18-Aug 2050 02:01:18 GMT", "Thu, 18 Aug-50 02:01:18 GMT",
        "Fri, 31 Dec 9999 23:59:59 -0001", "Fri, 31 Dec 9999 23:59:60 GMT", "Thu Aug   8 02:01:18 2050",
        "Thu Aug 18 02:01:18 2050 GMT",
    ])
    func isNoDate(_ text: String) {
        #expect(CacheDate.seconds(text, now: 1_700_000_000) == nil)
    }

    @Test(arguments: [0, 784_111_777, 951_782_400, 2_544_400_878, 253_402_300_799])
    func isWrittenAsItIsRead(_ seconds: Double) {
        #expect(CacheDate.seconds(CacheDate.text(seconds), now: 0) == seconds)
    }
}
