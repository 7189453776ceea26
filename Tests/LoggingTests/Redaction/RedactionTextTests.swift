import Logging
import Testing

/// What is planted everywhere; it must be nowhere in the output.
private let secret = "s3cret-Pa55"

@Suite struct RedactionTextTests {
    private let redaction = Redaction.standard

    @Test(arguments: [
        (#"{"password":"s","a":[1,2]}"#, #"{"password":"***","a":[1,2]}"#),
        (#"{ "password" : "s" , "a":1}"#, #"{ "password" : "***" , "a":1}"#),
        ("{\n  \"token\" :\n    \"s\"\n}", "{\n  \"token\" :\n    \"***\"\n}"),
        (#"{"a":{"b":[{"client_secret":"s"}]}}"#, #"{"a":{"b":[{"client_secret":"***"}]}}"#),
        (#"{"token":{"value":"s","x":["}"]},"a":1}"#, #"{"token":"***","a":1}"#),
        (#"{"token":["s","\"]"],"a":1}"#, #"{"token":"***","a":1}"#),
        (#"{"pin":1234,"a":1}"#, #"{"pin":"***","a":1}"#),
        (#"{"token":-1.5e3}"#, #"{"token":"***"}"#),
        (#"{"token":null,"password":true,"secret":false}"#, #"{"token":null,"password":true,"secret":false}"#),
        (#"{"pass\u0077ord":"s"}"#, #"{"pass\u0077ord":"***"}"#),
        (#"{"a\/b":"s","password":"a\"b\\"}"#, #"{"a\/b":"s","password":"***"}"#),
        (#"{"a":"{\"password\":\"s\"}"}"#, #"{"a":"{\"password\":\"***\"}"}"#),
        (#"{"a":"https:\/\/u:p@h\/?token=s"}"#, #"{"a":"https://***@h/?token=***"}"#),
        (#"{"a":"Bearer s","b":"x"}"#, #"{"a":"Bearer ***","b":"x"}"#),
        (#"{"name":"Cookie","value":"s","a":1}"#, #"{"name":"Cookie","value":"***","a":1}"#),
        (#"[{"name":"Accept"},{"value":"x"}]"#, #"[{"name":"Accept"},{"value":"x"}]"#),
        (#"{"emoji":"\ud83d\ude00 ä","n":1.50}"#, #"{"emoji":"\ud83d\ude00 ä","n":1.50}"#),
        (#"{"password":"s"#, #"{"password":"***""#),
        (#"{"password":["s","#, #"{"password":"***""#),
        // What follows a syntax error is masked whole.
        (#"{"password":s, t,"a":1}"#, #"{"password":***"#),
        (#""password":"s","a":1"#, #""password"***"#),
        (#"{"a":"b" " ,"password":"s"}"#, #"{"a":"b" ***"#),
        (#"{password:"s",'token':'t'}"#, "{***"),
        (#"{"a":1} {"pin":2} x"#, #"{"a":1} {"pin":"***"} ***"#),
        (#"[1}"#, "[1***"),
        (#"{"a":[1,],}"#, #"{"a":[1,],}"#),
        ("[1]\n{\"pin\":2}\n", "[1]\n{\"pin\":\"***\"}\n"),
        (#")]}',\#n{"pin":2}"#, #")]}',\#n{"pin":"***"}"#),
        ("\u{FEFF}{\"pin\":2}", "\u{FEFF}{\"pin\":\"***\"}"),
        ("\u{1E}{\"pin\":2}\n\u{1E}{\"pin\":3}\n", "\u{1E}{\"pin\":\"***\"}\n\u{1E}{\"pin\":\"***\"}\n"),
        ("null\n{\"pin\":2}", "null\n{\"pin\":\"***\"}"),
        (" -1 {\"pin\":2}", " -1 {\"pin\":\"***\"}"),
        ("callback({\"pin\":2});", "callback({\"pin\":\"***\"}***"),
        (
            "while(1);{\"token\":\"x\",\"url\":\"a/b\",\"pin\":2}",
            "while(1);{\"token\":\"***\",\"url\":\"a/b\",\"pin\":\"***\"}"
        ),
        ("cb=1; [ { \"pin\":2}]", "cb=1; [ { \"pin\":\"***\"}]"),
        ("error {}, [1]", "error {}***"),
        ("not found", "not found"), ("404 page not found", "404 page not found"), ("404", "404"), ("1 2\n3", "1 2\n3"),
        ("2026-11-28 12:00 worker failed", "2026-11-28 12:00 worker failed"),
        ("invalid field [name]: too long", "invalid field [name]: too long"),
        ("<html>not \"found\"</html>", "<html>not \"found\"</html>"),
        ("", ""),
        ("[", "["),
        ("\"", "\""),
        ("12", "12"),
    ])
    func jsonIsMaskedAndKeepsItsForm(json: String, masked: String) {
        #expect(redaction.json(json) == masked)
    }

    @Test(arguments: [
        ("Authorization: Bearer s\nAccept: */*", "Authorization: Bearer ***\nAccept: */*"),
        ("GET https://u:p@h/a?token=s HTTP/1.1", "GET https://***@h/a?token=*** HTTP/1.1"),
        ("see <https://u:p@h/>, then (https://u:p@i/)", "see <https://***@h/>, then (https://***@i/)"),
        ("sent bearer s.t-u_v, got 401", "sent bearer ***, got 401"),
        ("the bearer token expired", "the bearer token expired"),
        ("WWW-Authenticate: Bearer realm=\"shop\"", "WWW-Authenticate: Bearer realm=\"shop\""),
        ("Basic dXNlcjpwYXNz", "Basic ***"),
        ("Basic dXNlcjpwYXM=, then", "Basic ***, then"),
        ("Basic usage is easy", "Basic usage is easy"),
        ("Basic authentication failed", "Basic authentication failed"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln end", "jwt *** end"),
        ("a=1&token=s&code=t&b=2", "a=1&token=***&code=***&b=2"),
        ("/a?token=s&b=2", "/a?token=***&b=2"),
        ("a=1&token=s\r\n", "a=1&token=***\r\n"),
        ("exit code=42", "exit code=42"),
        ("access%5Ftoken=s", "access%5Ftoken=***"),
        ("{\"a\":1,\"password\":\"s\"}", "{\"a\":1,\"password\":\"***\"}"),
        (#"["password": "s", "a": "b"]"#, #"["password"***"#),
        ("token == nil, Token::new, token:", "token == nil, Token::new, token:"),
        ("3 tokens: 12", "3 tokens: 12"),
        ("Ключ: 42, 日本語 {}", "Ключ: 42, 日本語 {}"),
        ("token refreshed, 2 requests replayed", "token refreshed, 2 requests replayed"),
        // What can't be masked: see Docs/Logging.md.
        ("password: s", "password: s"), ("to https%3A%2F%2Fu%3Ap%40h now", "to https%3A%2F%2Fu%3Ap%40h now"),
        ("body: {\"password\":\"s\"}", "body: {\"password\":\"s\"}"),
    ])
    func freeTextIsMasked(text: String, masked: String) {
        #expect(redaction.text(text) == masked)
        #expect(redaction.text(masked) == masked, "what is masked already stays")
    }

    private static let shownTexts: [String] = [
        #"{"a":{"b":"\#(secret)"}}"#, "https://x/?a=\(secret)", "Host: \(secret)", #"["a", ["b", "\#(secret)"]]"#,
    ]

    @Test(arguments: shownTexts)
    func whatIsNoSecretStaysByteForByte(text: String) {
        #expect(redaction.text(text) == text)
        #expect(redaction.json(text) == text)
    }

    /// Cut anywhere, a text may lose its form, but no secret comes out of it.
    private static let maskedTexts: [String] = [
        #"{"a":[{"password":"\#(secret)"},{"b":"{\"token\":\"\#(secret)\"}"}],"secret":{"x":"\#(secret)"}}"#,
        "GET https://u:\(secret)@h/?token=\(secret)#id_token=\(secret)\nsent Bearer \(secret)",
        "/?to=https%3A%2F%2Fu%3A\(secret)%40h%2F%3Ftoken%3D\(secret)&api_key=\(secret)",
    ]

    @Test(arguments: maskedTexts)
    func aTextThatIsCutOffTellsNoSecret(text: String) {
        for length in 0...text.count {
            let prefix = String(text.prefix(length))
            // User info shows itself by its "@" only.
            let isUserInfo = ["u:\(secret)", "u%3A\(secret)", "u%3A\(secret)%", "u%3A\(secret)%4"].contains {
                prefix.hasSuffix($0)
            }
            if isUserInfo { continue }
            for masked in [redaction.text(prefix), redaction.json(prefix)] {
                #expect(!masked.contains(secret), "cut after \(length): \(masked)")
            }
        }
    }

    @Test func textInTextInTextIsMaskedAtAnyDepth() {
        var text = #"{"password":"\#(secret)"}"#
        for _ in 0..<6 {
            let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            text = #"{"a":"\#(escaped)"}"#
        }
        let masked = redaction.json(text)
        #expect(!masked.contains(secret))
        #expect(masked == text.replacing(secret, with: "***"))
    }

    /// Work that grows with the square of the length would keep a sink busy for hours.
    @Test(
        .timeLimit(.minutes(5)),
        arguments: [
            "[", "{", "\"", "\\", "a%41/", "%zz/", "token ", "form-data;", "[\\", "a:", "'", "(", "bearer ", "{\"a\":",
            "pin=1 ", "\"pin\":1 ", "pin: 1\n",
        ])
    func aHostileTextTakesNoLongerThanAnother(unit: String) {
        let text = String(repeating: unit, count: 20_000)
        #expect(!redaction.text(text).isEmpty)
        #expect(!redaction.json(#"{"token":"# + text).isEmpty)
    }
}
