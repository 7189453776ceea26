import Logging
import Testing

@Suite struct RedactionTests {
    private let redaction = Redaction.standard

    // MARK: Headers

    @Test(arguments: [
        "Authorization", "proxy-authorization", "COOKIE", "Set-Cookie", "X-Api-Key", "api-key", "X-Auth-Token",
        "X-CSRF-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "DPoP", "X-Client-Secret", "X-App-Key",
        "X-Admin-Key", "Fastly-Key", "X-Key", "User-Key", "KEY", "X-Mashape-Key", "X-Goog-Api-Key", "X-Functions-Key",
        "CB-ACCESS-SIGN", "CB-ACCESS-KEY", "X-BAPI-SIGN", "Sign", "X-Secret-Name", "X-MS-Client-Principal",
        "X-AppKey", "X-Auth-Key-Id",
    ])
    func aSecretHeaderIsMaskedWhole(name: String) {
        #expect(redaction.header(name, "Bearer hunter2; x=1") == "***")
    }

    @Test(arguments: [
        "Content-Type", "Accept", "ETag", "X-Request-Id", "WWW-Authenticate", "Content-Length", "Date",
        "Sec-WebSocket-Key", "Idempotency-Key", "Surrogate-Key", "X-Cache-Key", "X-Partition-Key", "Keyboard",
        "X-Design",
    ])
    func anOrdinaryHeaderStays(name: String) {
        #expect(redaction.header(name, "Bearer realm=\"shop\", x=1") == "Bearer realm=\"shop\", x=1")
    }

    @Test func aUrlInAnOrdinaryHeaderIsMaskedInside() {
        #expect(redaction.header("Location", "https://x/cb#access_token=s3&a=1") == "https://x/cb#access_token=***&a=1")
    }

    @Test func headersKeepTheirOrder() {
        let headers = redaction.headers([("B", "1"), ("Cookie", "a=b"), ("A", "2")])
        #expect(headers.map(\.0) == ["B", "Cookie", "A"])
        #expect(headers.map(\.1) == ["1", "***", "2"])
    }

    // MARK: Names

    @Test(arguments: [
        "token", "access_token", "accessToken", "ACCESS-TOKEN", "accesstoken", "refresh.token", "user[access_token]",
        "id_token", "usertoken", "deviceToken", "token2", "token_value", "password", "Password", "new_password",
        "passwordConfirmation", "password_hash", "passwordhash", "pwd", "client_secret", "clientsecret", "secrets",
        "apiKey", "APIKey", "X-API-KEY", "aws_secret_access_key", "privateKey", "sessionId", "JSESSIONID", "pin",
        "card_pin", "cvc", "jwt", "oauth_signature", "credentials", "tokens", "authkey", "serviceKey", "appKey",
        "ADMIN_KEY", "consumer_key", "SAMLRequest", "SAMLart", "ssn", "userSSN", "pan", "card_pan", "panNumber",
    ])
    func aSecretKeyIsMasked(key: String) {
        #expect(redaction.json(#"{"\#(key)":"hunter2","a":1}"#) == #"{"\#(key)":"***","a":1}"#)
        #expect(redaction.form("\(key)=hunter2&a=1") == "\(key)=***&a=1")
    }

    @Test(arguments: [
        "tokens_used", "token_type", "tokenCount", "token_expires_in", "password_length", "passwordPolicy",
        "token_endpoint", "name", "user", "shopping", "spin", "secretary", "author", "authors", "page", "monkey",
        "keyboard", "side", "compass", "signatures_required", "japan", "panel", "panorama", "access", "accessLevel",
        "publicKey", "primary_key",
    ])
    func aKeyThatOnlySoundsLikeASecretStays(key: String) {
        #expect(redaction.json(#"{"\#(key)":"hunter2"}"#) == #"{"\#(key)":"hunter2"}"#)
        #expect(redaction.form("\(key)=hunter2") == "\(key)=hunter2")
    }

    @Test func aCountOfTokensStaysAndAListOfThemIsMasked() {
        #expect(redaction.json(#"{"max_tokens":100,"tokens":["a"]}"#) == #"{"max_tokens":100,"tokens":"***"}"#)
        #expect(redaction.url("/x?max_tokens=100&tokens=a1") == "/x?max_tokens=100&tokens=***")
    }

    @Test func namesCanBeAdded() {
        let redaction = Redaction.standard.adding(headers: ["X-Internal"], keys: ["iban", "tax id"])
        #expect(redaction.header("x-internal", "1") == "***")
        let masked = redaction.json(#"{"customerIban":"DE1","taxID":"2","caliban":"3"}"#)
        #expect(masked == #"{"customerIban":"***","taxID":"***","caliban":"3"}"#)
        #expect(redaction.header("Cookie", "a") == "***")
    }

    @Test func namesCanBeRemoved() {
        let redaction = Redaction.standard.removing(headers: ["X-Session"], keys: ["pin", "access token"])
        #expect(redaction.header("x-session", "abc") == "abc")
        #expect(redaction.header("X-Session-Id", "abc") == "***")
        #expect(redaction.header("Pin", "1234") == "***")
        let masked = redaction.json(#"{"pin":"1","Pin":"2","cardPin":"3","accessToken":"4","token":"5"}"#)
        #expect(masked == #"{"pin":"1","Pin":"2","cardPin":"***","accessToken":"4","token":"***"}"#)
        #expect(redaction.url("//a:b@x/?pin=1&access%5Ftoken=2&token=3") == "//***@x/?pin=1&access%5Ftoken=2&token=***")
        #expect(redaction.form("pin=Bearer%20hunter2") == "pin=Bearer%20***")
        #expect(redaction.adding(keys: ["pin"]).form("pin=1&access_token=2") == "pin=***&access_token=2")
        #expect(Redaction.none.removing(keys: ["pin"]).isOff)
    }

    @Test func offMeansOff() {
        let text = #"Authorization: x https://a:b@c/?token=1 {"password":"p"}"#
        #expect(Redaction.none.isOff && !Redaction.standard.isOff)
        #expect(Redaction.none.text(text) == text)
        #expect(Redaction.none.json(text) == text)
        #expect(Redaction.none.url(text) == text)
        #expect(Redaction.none.form(text) == text)
        #expect(Redaction.none.header("Cookie", "a=b") == "a=b")
        #expect(Redaction.none.adding(keys: ["a"]).form("a=b") == "a=b")
    }

    // MARK: URLs

    @Test(arguments: [
        ("https://bob:pw@host:81/a?b=c", "https://***@host:81/a?b=c"),
        ("https://bob@host/", "https://***@host/"),
        ("https://a:b@c:d@host/", "https://***@host/"),
        ("https://bob:p/w@host/x", "https://***@host/x"),
        ("https://bob:p#w?@host/x", "https://***@host/x"),
        ("//bob:pw@host/x", "//***@host/x"),
        ("bob:pw@proxy:3128", "***@proxy:3128"),
        ("mailto:bob@host", "mailto:bob@host"),
        ("https://host:443/@bob?to=x@y.z", "https://host:443/@bob?to=x@y.z"),
        ("https://[::1]:80/@bob", "https://[::1]:80/@bob"),
        ("/a?token=x&b=1", "/a?token=***&b=1"),
        ("/a?b=1&Access-Token=x%20y/z+w==", "/a?b=1&Access-Token=***"),
        ("/a?access%5Ftoken=x&b=%41", "/a?access%5Ftoken=***&b=%41"),
        ("/a?user%5Bpassword%5D=x", "/a?user%5Bpassword%5D=***"),
        ("/a?token=x;y&b=1", "/a?token=***&b=1"),
        ("/a?b=1;token=x", "/a?b=1%3Btoken%3D***"),
        ("/cb#access_token=x&state=1", "/cb#access_token=***&state=1"),
        ("/app#/cb?access_token=x", "/app#/cb?access_token=***"),
        ("/cb?code=x&state=1", "/cb?code=***&state=1"),
        ("/maps?key=x&country_code=de", "/maps?key=***&country_code=de"),
        ("/a;jsessionid=x/b?c=1", "/a;jsessionid=***/b?c=1"),
        ("/a?token=&b=1", "/a?token=&b=1"),
        ("/a?token&b", "/a?token&b"),
        ("/?to=https%3A%2F%2Fa%3Ab%40c%2F%3Ftoken%3Dx&b=1", "/?to=https%3A%2F%2F***%40c%2F%3Ftoken%3D***&b=1"),
        ("/?to=https://a:b@c/?token=x&b=1", "/?to=https%3A%2F%2F***%40c%2F%3Ftoken%3D***&b=1"),
        ("/?q=%7B%22password%22%3A%22x%22%7D", "/?q=%7B%22password%22%3A%22***%22%7D"),
        ("/?q=Bearer+abc", "/?q=Bearer%20***"),
        ("/?q=%zz%", "/?q=%zz%"),
        ("/redirect/https%3A%2F%2Fx%2F%3Ftoken%3Ds", "/redirect/https%3A%2F%2Fx%2F%3Ftoken%3D***"),
        ("/proxy/https%3A%2F%2Fbob%3Apw@x/1", "/proxy/https%3A%2F%2F***%40x/1"),
        ("/p/token%3Ds/1", "/p/token%3D***/1"),
        ("/?to=https%253A%252F%252Fx%252F%253Ftoken%253Ds", "/?to=https%253A%252F%252Fx%252F%253Ftoken%253D***"),
        ("/files/a%20b%2Fc%3Fd.txt", "/files/a%20b%2Fc%3Fd.txt"),
        ("/a?authkey=x&serviceKey=y&SAMLRequest=z", "/a?authkey=***&serviceKey=***&SAMLRequest=***"),
        ("/a?sign=x&signal=1", "/a?sign=***&signal=1"),
        ("https://api.telegram.org/bot123:AAH-x_y/getMe?a=1", "https://api.telegram.org/bot123:***/getMe?a=1"),
        ("/file/bot123%3AAAH/photos/1.jpg", "/file/bot123:***/photos/1.jpg"),
        ("https://hooks.slack.com/services/T0A/B0B/aBcDeF", "https://hooks.slack.com/services/T0A/B0B/***"),
        ("https://discord.com/api/webhooks/12/a-B?wait=1", "https://discord.com/api/webhooks/12/***?wait=1"),
        ("https://x/reset/token/S3cret?a=1", "https://x/reset/token/***?a=1"),
        ("/password/reset-token/eYt", "/password/reset-token/***"),
        ("/oauth/token/revoke", "/oauth/token/revoke"),
        ("/v1/tokens/42", "/v1/tokens/42"),
        ("/robot12:30/services/Tea/Bar", "/robot12:30/services/Tea/Bar"),
        ("bob:p/w@proxy:3128", "***@proxy:3128"),
        ("http://bob:p/w/x@proxy:3128/", "http://***@proxy:3128/"),
        ("http://host:8080/users/bob@example.com", "http://host:8080/users/bob@example.com"),
        ("", ""),
    ])
    func aUrlIsMasked(url: String, masked: String) {
        #expect(redaction.url(url) == masked)
    }

    @Test(arguments: [
        (#"{"key":"password","val":"x"}"#, #"{"key":"password","val":"***"}"#),
        (#"{"id":"password","value":"x"}"#, #"{"id":"password","value":"***"}"#),
        (#"[{"v":"x","k":"apiKey"},{"v":"y","k":"page"}]"#, #"[{"v":"***","k":"apiKey"},{"v":"y","k":"page"}]"#),
        (#"{"variable":"TOKEN","content":["x"]}"#, #"{"variable":"TOKEN","content":"***"}"#),
        (#"{"access":"public","id":"x","value":"y"}"#, #"{"access":"public","id":"x","value":"y"}"#),
        (#"{"access":"x","refresh":"y"}"#, #"{"access":"***","refresh":"***"}"#),
        (
            #"{"refresh":"y","a":{"access":"read"},"access":"x"}"#,
            #"{"refresh":"***","a":{"access":"read"},"access":"***"}"#
        ),
    ])
    func theNameOfAValueMayBeAMemberOfItsOwn(json: String, masked: String) {
        #expect(redaction.json(json) == masked)
    }

    @Test(arguments: [
        ("https:/bob:pw@host/a", "https:/***@host/a"), ("https//bob:pw@host/a", "https//***@host/a"),
        ("https:///bob:pw@host/a", "https:///***@host/a"), (#"http:\\bob:pw@host/a"#, #"http:\\***@host/a"#),
    ])
    func theUserInfoOfAMistypedUrlIsMasked(url: String, masked: String) {
        #expect(redaction.url(url) == masked)
        #expect(redaction.text(url) == masked)
    }

    @Test(arguments: [
        ("Negotiate YIIJvwYGKwYBBQUC", "Negotiate ***"),
        ("Negotiate aBcDefGh", "Negotiate ***"),
        ("NTLM TlRMTVNTUAAC, Basic realm=\"x\"", "NTLM ***, Basic realm=\"x\""),
        ("Negotiate, NTLM", "Negotiate, NTLM"),
        ("negotiate encryption with the server", "negotiate encryption with the server"),
    ])
    func theTokenOfAChallengeIsMasked(value: String, masked: String) {
        #expect(redaction.header("WWW-Authenticate", value) == masked)
    }

    @Test(arguments: [
        ("Location", "/cb?token=x y", "/cb?token=***"), ("Referer", "/cb;token=x", "/cb;token=***"),
        ("X-Original-Url", "/cb?a=1&token=x", "/cb?a=1&token=***"), ("X-Trace", "id=7&token=x", "id=7&token=***"),
        ("Link", "<https://x/?page=2&token=x>; rel=\"next\"", "<https://x/?page=2&token=***>; rel=\"next\""),
        ("Link", "</a?token=x>; rel=next, <b;token=y>", "</a?token=***>; rel=next, <b;token=***>"),
        ("Link", "</a?token=x", "</a?token=***"), ("Link", ">a<b>c<", ">a<b>c<"),
        ("Link", #"</a>; anchor="/b?token=x""#, #"</a>; anchor="/b?token=***""#),
        ("Link", #"</a>; title="a \"</b?token=x>""#, #"</a>; title="a \"</b?token=***>""#),
        ("Link", #"</a>; title="6\" x", </b?token=x>; rel=next"#, #"</a>; title="6\" x", </b?token=***>; rel=next"#),
        ("Link", #"</a>;title="6, </b?pin=x>;anchor="/c?pin=y""#, #"</a>;title="6, </b?pin=***>;anchor="/c?pin=***""#),
        ("X-Claims", #"{"sid": "x", "a": 1}"#, #"{"sid": "***", "a": 1}"#), ("ETag", "\"a:b@c\"", "\"a:b@c\""),
        ("Cache-Control", "max-age=3, private", "max-age=3, private"), ("Date", "Tue, 1 Jan 2026", "Tue, 1 Jan 2026"),
    ])
    func aHeadersValueIsMaskedByItsForm(name: String, value: String, masked: String) {
        #expect(redaction.header(name, value) == masked)
    }

    @Test func aFormIsMasked() {
        let form = "grant_type=authorization_code&code=x&client_secret=a;b c&redirect_uri=https%3A%2F%2Fx&z"
        #expect(
            redaction.form(form)
                == "grant_type=authorization_code&code=***&client_secret=***&redirect_uri=https%3A%2F%2Fx&z")
    }
}
