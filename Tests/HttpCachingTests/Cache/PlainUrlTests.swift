import Logging
import Testing

@testable import HttpCaching

@Suite struct PlainUrlTests {
    @Test(arguments: [
        "https://h.com/", "http://127.0.0.1:8080/a/b-1/c.json", "https://h.com/a?page=1&q=abc",
        "https://h.com/users/7d0e2c9c-1111-4222-8333-944445555666/posts?limit=10,20",
    ])
    func aUrlWithoutSecretsIsPlain(_ url: String) {
        #expect(PlainUrl.parameterNames(url) != nil)
        #expect(Redaction.standard.url(url) == url)
    }

    @Test(arguments: [
        "https://u:p@h.com/", "https://h.com/reset/token/abc1", "https://h.com/a;token=1",
        "https://h.com/a?u=https://x:y@z",
        "https://hooks.slack.com/services/T0/B0/xyz", "https://discord.com/api/webhooks/1/abc",
        "https://api.telegram.org/bot1:abc/getMe", "https://h.com/magic-link/abc1", "https://h.com/api-key/abc1",
        "https://h.com/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
        "https://h.com/a?b=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
        "https://h.com/a?h=Bearer%20abc", "https://h.com/a?h=Bearer+abc", "https://h.com/OTP/1a",
        "https://h.com/#access_token=1", "https://h.com/a?b=c?d=e",
        // Another spelling than the normal one.
        "https://h.com", "https://h.com?a=1", "https://H.com/", "Https://h.com/", "https://h.com:443/",
        "http://h.com:80/", "https://h.com:/",
    ])
    func anyOtherIsMaskedByItsRules(_ url: String) {
        #expect(PlainUrl.parameterNames(url) == nil)
    }

    @Test(arguments: [
        ("HTTPS://u:P@H.com:443?a=B#c", "https://u:P@h.com/?a=B"), ("http://[::1]:80/A", "http://[::1]/A"),
        ("http://[::1]", "http://[::1]/"), ("http://h.com:443/", "http://h.com:443/"), ("mailto:A", "mailto:A"),
    ])
    func aUrlHasANormalSpelling(_ url: String, _ normal: String) {
        #expect(NormalUrl.text(url) == normal)
    }

    @Test func theNamesOfParametersAreSeparate() {
        #expect(PlainUrl.parameterNames("https://h.com/a?api_key=1&b=2&c") == ["api_key", "b"])
    }
}
