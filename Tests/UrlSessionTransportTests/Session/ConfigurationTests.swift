import Testing
import UrlSessionTransport
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ConfigurationTests {
    private static let reason = "URLSession can't do other than the default"

    private static let proxy = URL(string: "http://127.0.0.1:1") ?? URL(fileURLWithPath: "/")

    struct Refusal: Sendable, CustomTestStringConvertible {
        let setting: String
        let change: @Sendable (inout SenderConfiguration) -> Void
        var reason = ConfigurationTests.reason

        var testDescription: String { setting }
    }

    private static let refusals: [Refusal] = [
        Refusal(setting: "tls") { $0.tls.verifiesServer = false },
        Refusal(setting: "tls") { $0.tls.authorities = .file(URL(fileURLWithPath: "/etc/hostname")) },
        Refusal(setting: "tls") { $0.tls.pins = ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="] },
        Refusal(setting: "tls") { $0.tls.minimumVersion = .tls13 },
        Refusal(setting: "tls") {
            let file = URL(fileURLWithPath: "/etc/hostname")
            $0.tls.clientCertificate = .init(certificate: file, key: file)
        },
        Refusal(setting: "proxy") { $0.proxy = .url(ConfigurationTests.proxy) },
        Refusal(setting: "httpVersion") { $0.httpVersion = .http1 },
        Refusal(setting: "httpVersion") { $0.httpVersion = .http2PriorKnowledge },
        Refusal(setting: "limits.headerSize") { $0.limits.headerSize = 1_000 },
        Refusal(setting: "compression") { $0.compression = false },
        Refusal(setting: "resending") { $0.resending = .never },
        Refusal(setting: "timeouts.connect") { $0.timeouts.connect = .seconds(5) },
        Refusal(setting: "limits.idleConnections") { $0.limits.idleConnections = 0 },
        Refusal(setting: "limits.lowestSpeed") { $0.limits.lowestSpeed = 2 },
        Refusal(setting: "loops") { $0.loops = 2 },
        Refusal(
            setting: "timeouts.connect", change: { $0.timeouts.connect = .zero }, reason: "must be longer than zero"
        ),
        Refusal(
            setting: "userAgent", change: { $0.userAgent = "a\r\nX: 1" },
            reason: "must not hold a line break or a NUL"),
    ]

    @Test(arguments: refusals)
    func whatUrlSessionCanNotDoIsRefused(refusal: Refusal) throws {
        var configuration = SenderConfiguration()
        refusal.change(&configuration)
        #expect(throws: SenderConfigurationError(setting: refusal.setting, reason: refusal.reason)) {
            try UrlSessionRequestSender(configuration: configuration)
        }
    }

    #if canImport(FoundationNetworking)
    @Test func onLinuxAKeyLogCanNotBeRejected() {
        var configuration = SenderConfiguration()
        configuration.tls.allowsKeyLog = false
        #expect(throws: SenderConfigurationError(setting: "tls.allowsKeyLog", reason: Self.reason)) {
            try UrlSessionRequestSender(configuration: configuration)
        }
    }
    #endif
}
