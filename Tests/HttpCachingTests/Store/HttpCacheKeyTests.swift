import HttpCaching
import Testing

@Suite struct HttpCacheKeyTests {
    @Test func onlyTheSessionOfCredentialsHasCredentials() {
        #expect(!HttpCacheSession.anonymous.hasCredentials)
        #expect(!HttpCacheSession.everyone.hasCredentials)
        #expect(HttpCacheSession(rawValue: "5f").hasCredentials)
    }
}
