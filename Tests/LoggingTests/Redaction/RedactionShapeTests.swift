import Logging
import TestSupport
import Testing

/// Secrets in the shapes in which names and values are printed, sent and stored.
@Suite struct RedactionShapeTests {
    private let redaction = Redaction.standard

    @Test(arguments: [
        "a@b://h:x", "@://:x", "a@b://h:x?token=1", "://", ":", "@", "//@", "//:@", "https://[@", "?", "a@//h:x#@",
    ])
    func aUrlThatIsMalformedIsMaskedAndReturned(url: String) {
        #expect(!redaction.url(url).isEmpty)
        #expect(!redaction.text("Location: \(url)").isEmpty)
    }

    @Test func anAtSignBeforeTheSchemeIsNoUserInfo() {
        #expect(redaction.url("a@b://h:x") == "a@b://h:x")
        #expect(redaction.url("a@b://h:x@y/z") == "a@b://***@y/z")
    }

    // MARK: JSON Web Tokens

    private static let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"

    private static let tokenUrls = [
        ("https://h/verify/\(jwt)", "https://h/verify/***"),
        ("https://h/verify/\(jwt)/next?a=1", "https://h/verify/***/next?a=1"),
        ("/verify/\(jwt);v=1", "/verify/***;v=1"),
        ("/verify/token-\(jwt)", "/verify/token-***"),
        ("/verify/%65yJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "/verify/***"),
        ("/verify/eyJhbGciOiJIUzI1NiJ9%252EeyJzdWIiOiIxIn0%2Ec2lnbmF0dXJl", "/verify/***"),
        ("\(jwt)", "***"),
        ("/a?\(jwt)", "/a?***"),
        ("/a?\(jwt)=1", "/a?***=***"),
        ("/a#\(jwt)", "/a#***"),
        ("/a/eyJpZCI6MX0/b", "/a/eyJpZCI6MX0/b"),
        ("/a/password/b=1/token=x/c", "/a/password/b=1/token=***/c"),
    ]

    @Test(arguments: tokenUrls)
    func aWebTokenInAUrlIsMasked(url: String, masked: String) {
        #expect(redaction.url(url) == masked)
        #expect(redaction.url(masked) == masked)
    }

    // MARK: Names

    @Test(arguments: [
        "device_code", "mfa_code", "verification_code", "security_code", "recovery_codes", "recoveryCode",
        "backupCodes",
        "master_key", "masterKey", "hmac", "session", "user_session", "refresh", "ticket", "db_pass", "licenseKey",
        "%70assword", "%2570assword", "pass%2525%37%37ord",
    ])
    func aSecretKeyIsMasked(key: String) {
        #expect(redaction.json(#"{"\#(key)":"hunter2","a":1}"#) == #"{"\#(key)":"***","a":1}"#)
        #expect(redaction.form("\(key)=hunter2&a=1") == "\(key)=***&a=1")
        #expect(redaction.url("/x?\(key)=hunter2&a=1") == "/x?\(key)=***&a=1")
        #expect(redaction.text("\(key)=hunter2&a=1") == "\(key)=***&a=1")
    }

    @Test func aNumberIsARecoveryCodeToo() {
        #expect(redaction.form("recovery_codes=123456") == "recovery_codes=***")
    }

    @Test(arguments: [
        "session_state", "session_count", "sessions", "refresh_interval", "refreshed", "ticket_number", "tickets",
        "compass", "error_code", "country_code", "passage",
    ])
    func aKeyThatOnlySoundsLikeASecretStays(key: String) {
        #expect(redaction.json(#"{"\#(key)":"hunter2"}"#) == #"{"\#(key)":"hunter2"}"#)
        #expect(redaction.form("\(key)=hunter2") == "\(key)=hunter2")
    }

    @Test(arguments: [
        "X-Session", "Master-Key", "X-Parse-Master-Key", "DD-APPLICATION-KEY", "X-Mashape-Key", "X-Appwrite-Key",
        "X-License-Key", "X-Amz-Server-Side-Encryption-Customer-Key",
    ])
    func aSecretHeaderIsMasked(name: String) {
        #expect(redaction.header(name, "hunter2") == "***")
        #expect(redaction.headers([(name, "hunter2"), ("Host", "x")]).map(\.1) == ["***", "x"])
    }

    // MARK: Shapes

    @Test(arguments: [
        (#"["X-Api-Key","S3CR3T"]"#, #"["X-Api-Key","***"]"#),
        (
            #"{"headers":[["Accept","a"],["X-Api-Key", "S3CR3T"]]}"#,
            #"{"headers":[["Accept","a"],["X-Api-Key", "***"]]}"#
        ),
        (#"["Cookie",["a=S3CR3T","b=S3CR3T"]]"#, #"["Cookie","***"]"#),
        (#"[["pin",1234],["id",5]]"#, #"[["pin","***"],["id",5]]"#),
        (#"{"value":"S3CR3T","name":"X-Api-Key"}"#, #"{"value":"***","name":"X-Api-Key"}"#),
        (#"{"value":{"a":["S3CR3T"]},"b":1,"key":"password"}"#, #"{"value":"***","b":1,"key":"password"}"#),
        (
            #"[{"value":"1","name":"a"},{"value":"S3CR3T","name":"Cookie"}]"#,
            #"[{"value":"1","name":"a"},{"value":"***","name":"Cookie"}]"#
        ),
        (#"{"required":["user","password"],"a":1}"#, #"{"required":["user","password"],"a":1}"#),
        (#"["a": ("X-Api-Key", "S3CR3T")]"#, #"["a"***"#),
        (#"["headers": ["Authorization": "S3CR3T"]]"#, #"["headers"***"#),
        ("(password, user) and (token, 3)", "(password, user) and (token, 3)"),
        ("password=a;rest", "password=***"),
        ("?%2570assword=S3CR3T", "?%2570assword=***"),
        ("#/callback?code=S3CR3T&a=1", "#/callback?code=***&a=1"),
        (
            "key -----BEGIN PRIVATE KEY-----\nS3CR3T\nS3CR3T==\n-----END PRIVATE KEY----- end",
            "key -----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY----- end"
        ),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\r\nS3CR3T", "-----BEGIN OPENSSH PRIVATE KEY-----***"),
        (
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nS3CR3T\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
            "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----***---- END SSH2 ENCRYPTED PRIVATE KEY ----"
        ),
        (
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
        ),
        (
            "a=-----BEGIN+PRIVATE+KEY-----%0AS3CR3T%0A-----END+PRIVATE+KEY-----",
            "a=-----BEGIN+PRIVATE+KEY-----***-----END+PRIVATE+KEY-----"
        ),
    ])
    func aSecretOfThisShapeIsMasked(text: String, masked: String) {
        #expect(redaction.text(text) == masked)
        #expect(redaction.text(masked) == masked, "what is masked already stays")
    }

    static let credentials = [
        ("sent Basic dXNlcjpwYXNz.", "sent Basic ***"),
        ("rejected Basic dXNlcjpwYXNz: bad", "rejected Basic ***: bad"),
        ("map[Authorization:[Basic dXNlcjpwYXM=]]", "map[Authorization:[Basic ***]]"),
        ("{Authorization=Negotiate dXNlcjpwYXNz}", "{Authorization=Negotiate ***}"),
        ("NTLM dXNlcjpwYXNz! again", "NTLM ***! again"),
        ("(Basic \(jwt))", "(Basic ***)"), ("Negotiate dXNlcjpw-YXNz_A==", "Negotiate ***=="),
        ("Basic authentication: failed", "Basic authentication: failed"),
    ]

    @Test(arguments: credentials)
    func credentialsBeforePunctuationAreMasked(text: String, masked: String) {
        #expect(redaction.text(text) == masked)
    }

    @Test(arguments: ["\u{FEFF}", ")]}',\n", "\u{FEFF} \n"])
    func jsonAfterAPrefixIsMaskedInAnyText(prefix: String) {
        #expect(redaction.text(prefix + #"{"password":"hunter2"}"#) == prefix + #"{"password":"***"}"#)
    }

    // MARK: JSON that is cut off or nested

    /// The member with the name may follow.
    @Test(arguments: [
        (#"{"value":"S3CR3T","note":"a lo"#, #"{"value":"***","note":"a lo"#),
        (#"{"a":[{"content":"S3CR3T","#, #"{"a":[{"content":"***","#),
        (#"{"v":"S3CR"#, #"{"v":"***""#),
        (#"{"value":[{"id":1,"a":"b"},{"id"#, #"{"value":[{"id":1,"a":"b"},{"id"#),
        (#"[{"value":"a"},{"value":7,"b"#, #"[{"value":"a"},{"value":7,"b"#),
    ])
    func aValueWhoseNameMayBeCutOffIsMasked(json: String, masked: String) {
        #expect(redaction.json(json) == masked)
        #expect(redaction.json(masked) == masked)
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: #"{"a":["#, count: depth) + #""S3CR3T""# + String(repeating: "]}", count: depth)
    }

    @Test func jsonThatIsNestedTooDeepIsMaskedWhole() {
        #expect(redaction.json(Self.nested(19)) == Self.nested(19))
        onSmallStack {
            #expect(!Redaction.standard.json(Self.nested(21)).contains("S3CR3T"))
            let start = String(repeating: #"{"a":["#, count: 20)
            #expect(Redaction.standard.json(Self.nested(100_000)) == start + "***")
        }
    }

    // MARK: What only looks like a secret

    /// A list of names looks like a name and its value.
    @Test(arguments: [
        (#"["password","email"]"#, #"["password","***"]"#),
        (#"{"args":["password","swordfish","verbose"]}"#, #"{"args":["password","***","verbose"]}"#),
        (#"["password","swordfish","a","#, #"["password","***","a","#),
    ])
    func aListThatMayBeANameAndItsValueIsMasked(text: String, masked: String) {
        #expect(redaction.text(text) == masked)
    }

    @Test(arguments: [
        "---- BEGIN import ----\n3 rows\n---- END import ----", "---- BEGIN Import of rows ----\n3 rows",
        "-----BEGIN import-----\n3 rows", "-----BEGIN -----\n3 rows",
    ])
    func aHeadingIsNoPrivateKeyBlock(text: String) {
        #expect(redaction.text(text) == text)
    }

    @Test(arguments: [
        ("-----BEGIN OpenVPN Static key V1-----\nS3CR3T", "-----BEGIN OpenVPN Static key V1-----***"),
        ("----- BEGIN RSA PRIVATE KEY -----\nS3CR3T", "----- BEGIN RSA PRIVATE KEY -----***"),
        ("-----BEGIN rsa private key-----\nS3CR3T", "-----BEGIN rsa private key-----***"),
        ("---- BEGIN SSH2 Encrypted Private Key ----\nS3CR3T", "---- BEGIN SSH2 Encrypted Private Key ----***"),
        ("----- BEGIN PGP MESSAGE -----\nS3CR3T", "----- BEGIN PGP MESSAGE -----***"),
        ("-----BEGIN%20PRIVATE%20KEY-----%0AS3CR3T", "-----BEGIN%20PRIVATE%20KEY-----***"),
    ])
    func aBlockWithAnotherLabelIsMasked(text: String, masked: String) {
        #expect(redaction.text(text) == masked)
    }

    @Test func aPrivateKeyInAJsonStringIsMasked() {
        let json = #"{"data":"-----BEGIN PRIVATE KEY-----\nS3CR3T\n-----END PRIVATE KEY-----\n"}"#
        #expect(redaction.json(json) == json.replacing(#"\nS3CR3T\n"#, with: "***"))
    }
}
