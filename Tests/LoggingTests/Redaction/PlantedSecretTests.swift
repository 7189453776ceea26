import NodeCore
import Testing

@testable import Logging

/// Secrets planted in every place that a chain writes about, and every way out of a sink.
@Suite struct PlantedSecretTests {
    private static let secret = "hunter2-S3cret"

    /// The fields of a request and a response, as nodes write them.
    private static let fields: [@Sendable (Redaction) -> String] = [
        { redaction in
            let headers = [
                ("Authorization", "Bearer \(secret)"), ("Proxy-Authorization", "Basic \(secret)"),
                ("Cookie", "sid=\(secret); a=\(secret)"), ("Set-Cookie", "sid=\(secret); Path=/"),
                ("X-Api-Key", secret), ("Location", "/cb?token=\(secret)"), ("X-Url", "/a?access_token=\(secret)"),
            ]
            return redaction.headers(headers).map { "\($0): \($1)" }.joined(separator: "\n")
        },
        { "GET \($0.url("https://bob:\(secret)@host/a"))" },
        { "GET \($0.url("/a?page=2&access_token=\(secret)"))" },
        { "302 to \($0.url("https://app/cb?to=https%3A%2F%2Fx%2F%3Ftoken%3D\(secret)#id_token=\(secret)"))" },
        { $0.form("grant_type=password&password=\(secret)&a=1") },
        { $0.json(#"{"user":{"name":"bob","password":"\#(secret)"},"tokens":["\#(secret)"]}"#) },
        { redaction in
            let form = "--b\r\nContent-Disposition: form-data; name=\"client_secret\"\r\n\r\n\(secret)\r\n--b--"
            let body = redaction.body(Array(form.utf8), contentType: "multipart/form-data; boundary=b")
            return String(decoding: body, as: UTF8.self)
        },
    ]

    /// Texts of unknown type, as an application writes them.
    private static let texts = [
        "sent bearer \(secret), got 401", "GET https://bob:\(secret)@host/a?access_token=\(secret)",
        "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----", "verify eyJhbGciOiJIUzI1NiJ9.\(secret).x",
        "/a?page=2&access_token=\(secret)", "grant_type=password&password=\(secret)&a=1",
        #"{"user":{"name":"bob","password":"\#(secret)"},"tokens":["\#(secret)"]}"#,
        #"["headers": ["Authorization": "Bearer \#(secret)"]]"#,
    ]

    private static func report(_ redaction: Redaction = .standard, error: String) -> LogReport {
        let journal = Journal()
        for field in fields { journal.append(Log(id: "Node", message: field)) }
        for text in texts {
            journal.append(Log(id: "Node") { text })
            journal.append(Note(description: text))
        }
        return LogReport(
            closing: journal, end: .failed(Boom(description: error)), filter: .standard, redaction: redaction)
    }

    private struct Note: JournalEntry, CustomStringConvertible {
        let id = "Note"
        let description: String
    }

    @Test(arguments: texts)
    func noFormatShowsThem(error: String) {
        for colors in [false, true] {
            let text = LogFormat.text.text(of: Self.report(error: error), colors: colors)
            #expect(!text.isEmpty)
            #expect(!text.contains(Self.secret), "\(text)")
        }
    }

    @Test(arguments: texts)
    func noLineOfAReportShowsThem(error: String) {
        let report = Self.report(error: error)
        let logs = report.lines.map(\.log) + report.shown
        #expect(logs.count == 2 * (Self.fields.count + 2 * Self.texts.count) + 1)
        for log in logs { #expect(!log.message.contains(Self.secret), "\(log.message)") }
    }

    @Test func whoeverWantsThemGetsThem() {
        let report = Self.report(.none, error: "")
        let texts = Self.texts.flatMap { [$0, $0] }
        #expect(report.lines.map(\.log.message) == Self.fields.map { $0(.none) } + texts)
    }
}
