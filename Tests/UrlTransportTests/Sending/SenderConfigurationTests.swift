#if os(Linux)
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct SenderConfigurationTests {
    /// A setting that is refused, and why.
    struct Case: Sendable, CustomTestStringConvertible {
        let setting: String
        let reason: String
        let change: @Sendable (inout CurlRequestSender.Configuration) -> Void

        init(
            _ setting: String, _ reason: String,
            _ change: @escaping @Sendable (inout CurlRequestSender.Configuration) -> Void
        ) {
            self.setting = setting
            self.reason = reason
            self.change = change
        }

        var testDescription: String { setting }
    }

    private static let schemes = #"["http", "https", "socks4", "socks4a", "socks5", "socks5h"]"#
    private static let longer = "must be longer than zero"
    private static let greater = "must be greater than zero"
    private static let file = URL(filePath: "/nowhere/ca.pem")
    private static let readable = URL(filePath: "/etc/hostname")
    private static let pin = Data(repeating: 1, count: 32).base64EncodedString()

    private static let refused: [Case] = [
        Case("connectTimeout", longer) { $0.connectTimeout = .zero },
        Case("connectTimeout", longer) { $0.connectTimeout = .seconds(-1) },
        Case("timeouts.request", longer) { $0.timeouts.request = .zero },
        Case("timeouts.stall", "must not be negative") { $0.timeouts.stall = .milliseconds(-1) },
        Case("limits.responseSize", greater) { $0.limits.responseSize = 0 },
        Case("maxHeaderSize", greater) { $0.maxHeaderSize = -1 },
        Case("limits.requestsPerOrigin", greater) { $0.limits.requestsPerOrigin = 0 },
        Case("connections.maxIdle", "must not be negative") { $0.connections.maxIdle = -1 },
        Case("connections.idleTimeout", "must be a second or longer") {
            $0.connections.idleTimeout = .milliseconds(999)
        },
        Case("connections.lifetime", "must be a second or longer, or nil") { $0.connections.lifetime = .zero },
        Case("connections.tcpUserTimeout", "must be a second or longer, or nil") {
            $0.connections.tcpUserTimeout = .milliseconds(1)
        },
        Case("addresses.lifetime", "must not be negative") { $0.addresses.lifetime = .seconds(-1) },
        Case("addresses.fixed", #""a.example" must be a host name and a port, as in example.com:443"#) {
            $0.addresses.fixed = ["a.example": ["127.0.0.1"]]
        },
        Case("addresses.fixed", #""-a.example:80" must be a host name and a port, as in example.com:443"#) {
            $0.addresses.fixed = ["-a.example:80": ["127.0.0.1"]]
        },
        Case("addresses.fixed", #"a.example:80 needs IP addresses, not ["b.example"]"#) {
            $0.addresses.fixed = ["a.example:80": ["b.example"]]
        },
        Case("addresses.fixed", "a.example:80 needs IP addresses, not []") {
            $0.addresses.fixed = ["a.example:80": []]
        },
        Case("addresses.interface", "must be the name of an interface or host, or an IP address") {
            $0.addresses.interface = ""
        },
        Case("minimumThroughput", "must be from 1 to 2147483647") { $0.minimumThroughput = 0 },
        Case("minimumThroughput", "needs timeouts.stall, which says for how long a transfer may be slower") {
            $0.minimumThroughput = 2
            $0.timeouts.stall = nil
        },
        Case("threads", "must be from 1 to 256") { $0.threads = 0 },
        Case("threads", "must be from 1 to 256") { $0.threads = 257 },
        Case("threads", "must be 1 while cookies are kept: each thread would keep its own") {
            $0.threads = 2
            $0.cookies = .memory
        },
        Case("redirects.limit", "must not be negative") { $0.redirects.limit = -1 },
        Case("proxy", "must be a URL with a host and one of the schemes \(schemes)") {
            $0.proxy = .url(URL(filePath: "/proxy"))
        },
        Case("proxy", "must be a URL with a host and one of the schemes \(schemes)") {
            $0.proxy = URL(string: "ftp://a.example").map { .url($0) } ?? .none
        },
        Case("userAgent", "must not hold a line break or a NUL") { $0.userAgent = "a\r\nX-Evil: 1" },
        Case("userAgent", "must not hold a line break or a NUL") { $0.userAgent = "a\0b" },
        Case("tls.pins", "each must be the base64 of a SHA-256 (32 bytes), without a prefix") {
            $0.tls.pins = ["sha256//\(pin)"]
        },
        Case("tls.pins", "each must be the base64 of a SHA-256 (32 bytes), without a prefix") {
            $0.tls.pins = [pin, "AAAA"]
        },
        Case("tls.pins", "can't be used while verifiesServer is false: the pin alone would not check the host's name") {
            $0.tls.pins = [pin]
            $0.tls.verifiesServer = false
        },
        Case("tls.trustRoots", "can't be set while verifiesServer is false: they would not be checked") {
            $0.tls.trustRoots = .file(readable)
            $0.tls.verifiesServer = false
        },
        Case("tls.trustRoots", "/nowhere/ca.pem can't be read") { $0.tls.trustRoots = .file(file) },
        Case("tls.trustRoots", "must be a file URL") {
            $0.tls.trustRoots = URL(string: "https://a.example/ca.pem").map { .file($0) } ?? .system
        },
        Case("tls.proxy.trustRoots", "can't be set while verifiesServer is false: they would not be checked") {
            $0.tls.proxy.trustRoots = .file(readable)
            $0.tls.proxy.verifiesServer = false
        },
        Case("tls.proxy.trustRoots", "/nowhere/ca.pem can't be read") { $0.tls.proxy.trustRoots = .file(file) },
        Case("tls.clientCertificate.certificate", "/nowhere/ca.pem can't be read") {
            $0.tls.clientCertificate = .init(certificate: file, key: readable)
        },
        Case("tls.clientCertificate.key", "/nowhere/ca.pem can't be read") {
            $0.tls.clientCertificate = .init(certificate: readable, key: file)
        },
    ]

    @Test(arguments: refused)
    func whatCantWorkOrIsUnsafeIsRefused(_ refused: Case) throws {
        var configuration = CurlRequestSender.Configuration()
        refused.change(&configuration)
        let error = thrown(SenderConfigurationError.self) {
            try CurlRequestSender(configuration: configuration)
        }
        #expect(error == SenderConfigurationError(setting: refused.setting, reason: refused.reason))
        #expect(error?.description == "\(refused.setting) of the sender's configuration: \(refused.reason)")
    }

    @Test func sharedSettingsAreKept() throws {
        var shared = SenderConfiguration()
        shared.proxy = .none
        shared.limits.responseSize = 5
        var configuration = CurlRequestSender.Configuration(shared)
        configuration.timeouts.request = .seconds(3)
        #expect(configuration.proxy == .none)
        #expect(configuration.shared.timeouts.request == .seconds(3))
        #expect(try CurlRequestSender(configuration: configuration).configuration.limits.responseSize == 5)
        configuration.shared.proxy = .system
        #expect(configuration.proxy == .environment)
        configuration.proxy = .none
        #expect(configuration.proxy == .none)
    }

    @Test func theDefaultsAreTheSafeChoice() throws {
        let configuration = try CurlRequestSender().configuration
        #expect(configuration.tls.verifiesServer)
        #expect(configuration.tls.requiresCloseNotify)
        #expect(configuration.tls.minimumVersion == .tls12)
        #expect(configuration.redirects.limit == 20)
        #expect(!configuration.redirects.allowsInsecure)
        #expect(configuration.cookies == .off)
        #expect(configuration.limits.responseSize == 256 << 20)
        #expect(configuration.maxHeaderSize == 256 << 10)
    }
}
#endif
