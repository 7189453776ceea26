import NodeCore
import Testing

@testable import Logging

/// Secrets planted in every place that a chain writes about, and every way out of a sink.
@Suite struct PlantedSecretTests {
    private static let secret = "hunter2-S3cret"

    private static let messages = [
        "Authorization: Bearer \(secret)", "Proxy-Authorization: Basic \(secret)", "Cookie: sid=\(secret); a=\(secret)",
        "Set-Cookie: sid=\(secret); Path=/", "X-Api-Key: \(secret)", "GET https://bob:\(secret)@host/a",
        "GET /a?page=2&access_token=\(secret)", "grant_type=password&password=\(secret)&a=1",
        #"{"user":{"name":"bob","password":"\#(secret)"},"tokens":["\#(secret)"]}"#,
        "form-data; name=\"client_secret\"\r\n\r\n\(secret)\r\n--b--",
        "302 to https://app/cb?to=https%3A%2F%2Fx%2F%3Ftoken%3D\(secret)#id_token=\(secret)",
        #"["headers": ["Authorization": "Bearer \#(secret)"]]"#,
    ]

    private static func report(_ level: LogLevel = .info) -> LogReport {
        let journal = Journal()
        for message in messages { journal.append(Log(id: "Node", level: level) { message }) }
        let error = Boom(description: messages.joined(separator: "\n"))
        return LogReport(closing: journal, end: .failed(error), filter: .standard, redaction: .standard)
    }

    @Test func noFormatShowsThem() {
        for colors in [false, true] {
            let text = LogFormat.text.text(of: Self.report(), colors: colors)
            #expect(!text.isEmpty)
            #expect(!text.contains(Self.secret), "\(text)")
        }
    }

    @Test func noLineOfAReportShowsThem() {
        let report = Self.report()
        let logs = report.lines.map(\.log) + report.shown
        #expect(logs.count == 2 * Self.messages.count + 1)
        for log in logs { #expect(!log.message.contains(Self.secret), "\(log.message)") }
    }

    @Test func whoeverWantsThemGetsThem() {
        let journal = Journal()
        for message in Self.messages { journal.append(Log(id: "Node") { message }) }
        let report = LogReport(closing: journal, end: .completed(()), filter: .standard, redaction: .none)
        #expect(report.lines.map(\.log.message) == Self.messages)
    }
}
