import Testing

@testable import HttpMessages

struct AuthChallengeTests {
    /// What RFC 9110 §11 and those of the schemes show, and what servers send.
    @Test(arguments: [
        ("Basic realm=\"simple\"", ["Basic(realm: simple)"]),
        ("basic REALM=simple", ["Basic(realm: simple)"]),
        (
            "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
            ["Newauth(realm: apps; title: Login to \"apps\"; type: 1)", "Basic(realm: simple)"]
        ),
        (
            "BEARER realm=\"https://auth.example.com/token\",service=\"r\",scope=\"repository:a/b:pull,push\"",
            ["Bearer(realm: https://auth.example.com/token; scope: repository:a/b:pull,push; service: r)"]
        ),
        ("Negotiate", ["Negotiate"]),
        ("Negotiate, NTLM", ["Negotiate", "NTLM"]),
        ("negotiate YWJj==, ntlm , Basic realm=\"a\"", ["Negotiate[YWJj==]", "NTLM", "Basic(realm: a)"]),
        ("Custom a.b-c_d~e+f/1=", ["Custom[a.b-c_d~e+f/1=]"]),
        ("Basic realm = \"a\" , charset = UTF-8", ["Basic(charset: UTF-8; realm: a)"]),
        (",, ,Basic realm=\"a\",,charset=\"UTF-8\", ,Bearer,", ["Basic(charset: UTF-8; realm: a)", "Bearer"]),
        ("Basic , realm=\"a\"", ["Basic(realm: a)"]),
        ("Basic\trealm=\"a\"", ["Basic(realm: a)"]),
        ("Basic realm=\"\"", ["Basic(realm: )"]),
        ("Basic realm=\"a, Bearer realm=\\\"b\\\"\"", ["Basic(realm: a, Bearer realm=\"b\")"]),
        ("Basic realm=\"é\\é\"", ["Basic(realm: éé)"]),
        // The grammar reads it so.
        ("Basic realm=", ["Basic[realm=]"]),
        ("Basic realm=, x=1 y", ["Basic[realm=]"]),
        ("Bearer error_uri=http://a/b?c=d", ["Bearer(error_uri: http://a/b?c=d)"]),
        (
            "Digest realm=\"a\", nonce=\"b\", algorithm=MD5, Digest realm=\"a\", nonce=\"b\", algorithm=SHA-256",
            ["Digest(algorithm: MD5; nonce: b; realm: a)", "Digest(algorithm: SHA-256; nonce: b; realm: a)"]
        ),
    ])
    func challengesAreRead(value: String, expected: [String]) {
        #expect(AuthChallenge.challenges(in: value).map(\.text) == expected)
    }

    /// The challenge with the error and those after it are left out.
    @Test(arguments: [
        "=", "\"", "@", "Basic realm=\"a", "Basic realm=\"a\\", "Basic realm=\"a\" b", "Basic realm=a b",
        "Basic realm=\"a\", realm=\"b\"", "Basic realm=\"a\", REALM=\"a\"", "Basic realm=\"a\"b=c", "Basic a b",
        "Basic @",
        "Basic \"a\"", "Bas@ic realm=\"a\"", "Basic realm=\"a\", charset=", "Basic realm==a\"",
    ])
    func aSyntaxErrorEndsTheField(value: String) {
        #expect(AuthChallenge.challenges(in: value) == [])
        #expect(AuthChallenge.challenges(in: "Negotiate, \(value), NTLM").map(\.scheme) == ["Negotiate"])
    }

    @Test(arguments: ["", " ", ",", "\t, ,", "realm=\"a\"", "=a"])
    func aFieldWithoutASchemeHasNoChallenge(value: String) {
        #expect(AuthChallenge.challenges(in: value) == [])
    }

    @Test func challengesOfAllFieldsAreInOrder() {
        let headers = HttpHeaders([
            .init(name: "WWW-Authenticate", value: "Digest realm=\"a\", Basic realm=\"a\""),
            .init(name: "Proxy-Authenticate", value: "Basic realm=\"proxy\""),
            .init(name: "www-authenticate", value: "Basic realm=\"open"),
            .init(name: "www-authenticate", value: "bearer"),
        ])
        #expect(headers.challenges.map(\.scheme) == ["Digest", "Basic", "Bearer"])
        #expect(HttpHeaders().challenges.isEmpty)
    }

    @Test func aParameterIsFoundByItsNameInAnyCase() throws {
        let challenge = try #require(AuthChallenge.challenges(in: "Bearer Realm=\"A\"").first)
        #expect(challenge["realm"] == "A" && challenge["REALM"] == "A" && challenge["scope"] == nil)
    }

    @Test func itsDescriptionHasNoValues() throws {
        let challenge = try #require(AuthChallenge.challenges(in: "Digest realm=\"a1\", nonce=\"b2\"").first)
        #expect("\(challenge)" == "Digest with nonce, realm")
        #expect("\(AuthChallenge.challenges(in: "NTLM c3="))" == "[NTLM with token68]")
    }

    /// Quadratic work would take minutes.
    @Test(arguments: ["Basic a=b, ", "a, ", "Basic a=\"\\\"", "a=", "Basic ", ",", "a b=c, ", "\\\""])
    func hostileInputTakesLinearTime(part: String) {
        let text = String(repeating: part, count: 300_000)
        let duration = ContinuousClock().measure { _ = AuthChallenge.challenges(in: text) }
        #expect(duration < .seconds(20))
    }
}

extension AuthChallenge {
    fileprivate var text: String {
        let parameters = parameters.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: "; ")
        return scheme + (token68.map { "[\($0)]" } ?? "") + (parameters.isEmpty ? "" : "(\(parameters))")
    }
}
