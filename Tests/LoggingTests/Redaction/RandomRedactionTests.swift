import Testing

@testable import Logging

/// A million random inputs: none ends the process, none takes long, and what is planted in them stays hidden.
@Suite(.timeLimit(.minutes(5))) struct RandomRedactionTests {
    /// The ways in, each with bytes that need be no text.
    enum Entry: CaseIterable, Sendable {
        case url, text, json, form, multipart, header, headerName

        func mask(_ bytes: [UInt8]) -> [UInt8] {
            let masker = Masker(SecretNames())
            let text = String(decoding: bytes, as: UTF8.self)
            return switch self {
            case .url: masker.url(bytes)
            case .text: masker.text(bytes)
            case .json: masker.json(bytes)
            case .form: masker.form(bytes)
            case .multipart: masker.multipart(bytes, boundary: Array("b".utf8))
            case .header: masker.header("X-Text", bytes)
            case .headerName: Array(Redaction.standard.headers([(text, text)]).map(\.1).joined().utf8)
            }
        }

        func mask(_ text: String) -> String {
            String(decoding: mask(Array(text.utf8)), as: UTF8.self)
        }
    }

    private static let secret = "hunter2S3cret"

    @Test(arguments: Entry.allCases, 0..<2)
    func noInputEndsTheProcess(entry: Entry, seed: UInt64) {
        var texts = RandomTexts(seed: seed)
        for _ in 0..<12_000 {
            let bytes = texts.bytes(tokens: 1...3)
            let masked = entry.mask(bytes)
            if masked.isEmpty { Issue.record("\(entry) leaves nothing of \(String(decoding: bytes, as: UTF8.self))") }
        }
    }

    @Test(arguments: Entry.allCases)
    func aLongInputTakesNoLongerThanItsLengthAsks(entry: Entry) {
        var texts = RandomTexts(seed: 3)
        for _ in 0..<3 {
            #expect(!entry.mask(texts.bytes(tokens: 2000...3000)).isEmpty)
        }
    }

    @Test(arguments: Entry.allCases)
    func whatIsMaskedAlreadyStays(entry: Entry) {
        if entry == .headerName { return }
        var texts = RandomTexts(seed: 9)
        for _ in 0..<3_000 {
            let text = texts.text(tokens: 1...6)
            let masked = entry.mask(text)
            if entry.mask(masked) != masked { Issue.record("\(entry) masks twice: \(text.debugDescription)") }
        }
    }

    private static let texts = [
        "https://u:\(secret)@h/", "https://h/?token=\(secret)", "Bearer \(secret)", "eyJhbGciOiJIUzI1NiJ9.\(secret).x",
        "https://h/eyJhbGciOiJIUzI1NiJ9.\(secret).x",
        "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----",
    ]

    @Test(arguments: texts)
    func aSecretAmongAnythingIsNeverShown(plant: String) {
        var texts = RandomTexts(seed: 7)
        for _ in 0..<1500 {
            let text = "\(texts.text(tokens: 0...5))\n\(plant)\n\(texts.text(tokens: 0...3))"
            for entry in [Entry.text, .json, .multipart, .header] where entry.mask(text).contains(Self.secret) {
                Issue.record("\(entry) shows the secret of \(text.debugDescription)")
            }
        }
    }

    private static let members = [
        #"{"password":"\#(secret)"}"#, #"["X-Api-Key","\#(secret)"]"#, #"{"value":"\#(secret)","name":"Cookie"}"#,
        #"{"name":"Cookie","value":"\#(secret)"}"#, #"{"a":"{\"password\":\"\#(secret)\"}"}"#,
    ]

    /// Whatever follows a secret member, or precedes it as a member of its own.
    @Test(arguments: members)
    func aSecretMemberAmongAnythingIsNeverShown(plant: String) {
        var texts = RandomTexts(seed: 8)
        for _ in 0..<3000 {
            for text in [
                "\(plant)\n\(texts.text(tokens: 0...5))", "{\"a\":\(texts.text(tokens: 0...5)),\"b\":\(plant)}",
            ] {
                for entry in [Entry.text, .json] where entry.mask(text).contains(Self.secret) {
                    Issue.record("\(entry) shows the secret of \(text.debugDescription)")
                }
            }
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func aSecretParameterAmongAnythingIsNeverShown(seed: UInt64) {
        var texts = RandomTexts(seed: 20 + seed)
        for _ in 0..<16_000 {
            let text = "\(texts.text(tokens: 0...6))&token=\(Self.secret)&\(texts.text(tokens: 0...4))"
            for entry in [Entry.url, .form] where entry.mask(text).contains(Self.secret) {
                Issue.record("\(entry) shows the secret of \(text.debugDescription)")
            }
        }
    }

    @Test(arguments: 0..<2)
    func aSecretFieldWithAnythingInItIsNeverShown(seed: UInt64) {
        var texts = RandomTexts(seed: 40 + seed)
        for _ in 0..<16_000 {
            let value = "\(texts.text(tokens: 0...4))\(Self.secret)\(texts.text(tokens: 0...4))"
            let form = """
                \(texts.text(tokens: 0...3))\r\n--bound\r\n\
                Content-Disposition: form-data; name="password"\r\n\r\n\(value)\r\n--bound--\r\n
                """
            let bytes = Redaction.standard.body(Array(form.utf8), contentType: "multipart/form-data; boundary=bound")
            let masked = String(decoding: bytes, as: UTF8.self)
            if masked.contains(Self.secret) { Issue.record("shows the secret of \(form.debugDescription)") }
        }
    }
}
