#if os(Linux)
import HttpMessages

/// The settings of a sender, shared by its transfers. Values of libcurl's options are computed once.
final class CurlSettings: Sendable {
    let configuration: CurlConfiguration
    /// Whether requests over TCP may go through a proxy.
    let hasProxy: Bool
    /// The header line with the configuration's `User-Agent`; nil for none.
    let userAgentLine: String?
    /// The header lines of a request without its own, where no proxy gets any; nil if libcurl has no memory.
    let usualLines: CurlList?
    /// In milliseconds.
    let connectTimeout: Int
    /// In seconds, as the following ones.
    let idleTimeout: Int
    let connectionLifetime: Int?
    let addressLifetime: Int
    /// The lines of `CURLOPT_RESOLVE`.
    let fixedAddresses: [String]
    /// Whether the settings need no options besides those of ``HandleKind``.
    let hasUsualHops: Bool

    /// - Parameter canReuseHandles: whether libcurl can.
    init(_ configuration: CurlConfiguration, canReuseHandles: Bool = LibcurlWorkarounds.canReuseHandles) {
        self.configuration = configuration
        hasProxy =
            switch configuration.proxy {
            // libcurl ignores `HTTP_PROXY`, which the client of a CGI program can set.
            case .environment:
                ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains(where: environmentHas)
            case .none: false
            case .url: true
            }
        let userAgent = configuration.userAgent ?? ""
        userAgentLine = userAgent.isEmpty ? nil : HttpHeaders.curlLines([(name: "User-Agent", value: userAgent)]).first
        usualLines = CurlList(
            (userAgentLine.map { [$0] } ?? []) + (configuration.compression ? [ContentDecoder.acceptedLine] : []))
        connectTimeout = configuration.connectTimeout.wholeMilliseconds
        idleTimeout = configuration.connections.idleTimeout.wholeSeconds
        connectionLifetime = configuration.connections.lifetime?.wholeSeconds
        addressLifetime = configuration.addresses.lifetime.wholeSeconds
        fixedAddresses = configuration.addresses.fixed.map { "\($0):\($1.joined(separator: ","))" }
        hasUsualHops =
            canReuseHandles && !hasProxy && configuration.cookies != .memory
            && configuration.tls.clientCertificate == nil && configuration.addresses.fixed.isEmpty
    }
}

extension Duration {
    // `components` can't have more than `Int64.max` seconds, which a duration may have.

    /// Whole seconds, at most `Int32.max`.
    var wholeSeconds: Int { Int(min(max(.zero, self), .seconds(Int32.max)).components.seconds) }

    /// Milliseconds: at least 1, because 0 selects libcurl's default, and at most `Int32.max`, 24 days.
    var wholeMilliseconds: Int {
        guard self < .milliseconds(Int32.max) else { return Int(Int32.max) }
        guard self > .milliseconds(1) else { return 1 }
        return Int(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
#endif
