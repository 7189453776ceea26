import Testing

@testable import Logging

/// A million random inputs: none ends the process, none takes long, and what is planted in them stays hidden.
@Suite(.timeLimit(.minutes(5))) struct RandomRedactionTests {
    /// The ways in, each with bytes that need be no text.
    enum Entry: CaseIterable, Sendable {
        case url, text, json, form, multipart, header, headerName

        func mask(_ bytes: [UInt8]) -> [UInt8] {
            let scanner = SecretScanner(.standard)
            let text = String(decoding: bytes, as: UTF8.self)
            return switch self {
            case .url: scanner.url(bytes)
            case .text: scanner.masked(bytes)
            case .json: Array(Redaction.standard.json(text).utf8)
            case .form: scanner.form(bytes)
            case .multipart: scanner.masked(bytes, boundary: Array("b".utf8))
            case .header: Array(Redaction.standard.header("Location", text).utf8)
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

    private static let inputs1 = [
        "Authorization: \(secret)", "Authorization: Bearer\r\n \(secret)\r\n", "password=\(secret)",
        "password: \(secret)",
        "%2570assword=\(secret)", #"{"password":"\#(secret)"}"#, #"password("\#(secret)")"#, "https://u:\(secret)@h/",
        "https://h/?token=\(secret)", #"["X-Api-Key","\#(secret)"]"#, #"{"value":"\#(secret)","name":"Cookie"}"#,
        #"{"name":"Cookie","value":"\#(secret)"}"#, "Bearer \(secret)", "eyJhbGciOiJIUzI1NiJ9.\(secret).x",
        "https://h/eyJhbGciOiJIUzI1NiJ9.\(secret).x", #"Login(user: "b", password: "\#(secret)")"#,
        #"Field(value: "\#(secret)", name: "Cookie")"#,
    ]

    @Test(arguments: inputs1)
    func aSecretAmongAnythingIsNeverShown(plant: String) {
        var texts = RandomTexts(seed: 7)
        for _ in 0..<1500 {
            let text = "\(texts.text(tokens: 0...5))\n\(plant)\n\(texts.text(tokens: 0...3))"
            for entry in [Entry.text, .json, .multipart, .header] where entry.mask(text).contains(Self.secret) {
                Issue.record("\(entry) shows the secret of \(text.debugDescription)")
            }
        }
    }

    /// A block and a form's field are no JSON, so that a text which begins as JSON does isn't searched for them.
    private static let inputs = [
        "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----",
        "Content-Disposition: form-data; name=password\r\n\r\n\(secret)\r\n--b",
    ]

    @Test(arguments: inputs)
    func aBlockOrFieldAmongAnythingIsNeverShown(plant: String) {
        var texts = RandomTexts(seed: 8)
        for _ in 0..<3000 {
            let text = "\(texts.text(tokens: 0...5))\n\(plant)\n\(texts.text(tokens: 0...3))"
            for entry in [Entry.text, .multipart, .header] where entry.mask(text).contains(Self.secret) {
                Issue.record("\(entry) shows the secret of \(text.debugDescription)")
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
            let masked = Redaction.standard.multipart(form, contentType: "multipart/form-data; boundary=bound")
            if masked.contains(Self.secret) { Issue.record("shows the secret of \(form.debugDescription)") }
        }
    }
}
