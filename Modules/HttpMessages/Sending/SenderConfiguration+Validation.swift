#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The error of a configuration that can't work, or that would be unsafe by mistake.
public struct SenderConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The setting, such as `tls.pins`.
    public let setting: String
    /// What is wrong with it.
    public let reason: String

    package init(setting: String, reason: String) {
        self.setting = setting
        self.reason = reason
    }

    /// The setting and the reason.
    public var description: String {
        "\(setting) of the sender's configuration: \(reason)"
    }
}

extension SenderConfiguration {
    /// Fails for the first setting that can't work or is unsafe by mistake.
    ///
    /// - Throws: ``SenderConfigurationError``.
    package func validate() throws {
        try check(timeouts.request.map { $0 > .zero } ?? true, "timeouts.request", "must be longer than zero")
        try check(
            timeouts.stall.map { $0 >= .zero } ?? true, "timeouts.stall", "must not be negative")
        try check(limits.responseSize > 0, "limits.responseSize", "must be greater than zero")
        try check(limits.requestsPerOrigin > 0, "limits.requestsPerOrigin", "must be greater than zero")
        try check(redirects.limit >= 0, "redirects.limit", "must not be negative")
        try validateUserAgent()
    }

    /// Fails for a user agent that no sender can send.
    ///
    /// - Throws: ``SenderConfigurationError``.
    package func validateUserAgent() throws {
        guard let userAgent else { return }
        let isOneLine = !userAgent.contains { $0.isNewline || $0 == "\0" }
        try check(isOneLine, "userAgent", "must not hold a line break or a NUL")
    }
}

extension CurlConfiguration {
    /// Fails for the first setting that can't work or is unsafe by mistake.
    ///
    /// - Throws: ``SenderConfigurationError``.
    package func validate() throws {
        try shared.validate()
        try check(connectTimeout > .zero, "connectTimeout", "must be longer than zero")
        try check(maxHeaderSize > 0, "maxHeaderSize", "must be greater than zero")
        try validateConnections()
        try validateAddresses()
        try check(
            (1...Int(Int32.max)).contains(minimumThroughput), "minimumThroughput", "must be from 1 to 2147483647")
        try check(
            minimumThroughput == 1 || StallClock.limit(nil, shared.timeouts.stall) != nil, "minimumThroughput",
            "needs timeouts.stall, which says for how long a transfer may be slower")
        try check((1...256).contains(threads), "threads", "must be from 1 to 256")
        try check(
            threads == 1 || shared.cookies == .off, "threads",
            "must be 1 while cookies are kept: each thread would keep its own")
        try validateTls()
        if case .url(let url) = proxy {
            let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
            let isKnown = url.scheme.map { schemes.contains($0.lowercased()) } ?? false
            try check(
                isKnown && url.host?.isEmpty == false, "proxy",
                "must be a URL with a host and one of the schemes \(schemes)")
        }
    }

    private func validateConnections() throws {
        try check(connections.maxIdle >= 0, "connections.maxIdle", "must not be negative")
        try check(
            connections.idleTimeout >= .seconds(1), "connections.idleTimeout", "must be a second or longer")
        try check(
            connections.lifetime.map { $0 >= .seconds(1) } ?? true, "connections.lifetime",
            "must be a second or longer, or nil")
        try check(
            connections.tcpUserTimeout.map { $0 >= .seconds(1) } ?? true, "connections.tcpUserTimeout",
            "must be a second or longer, or nil")
    }

    private func validateAddresses() throws {
        try check(addresses.lifetime >= .zero, "addresses.lifetime", "must not be negative")
        for (server, list) in addresses.fixed {
            // Other characters would change the meaning of libcurl's text, "host:port:address,address".
            let parts = server.split(separator: ":", omittingEmptySubsequences: false)
            let isServer =
                parts.count == 2 && UInt16(parts[1]) != nil
                && parts[0].first.map { $0 != "-" } ?? false && parts[0].utf8.allSatisfy { $0.isNameCharacter }
            try check(
                isServer, "addresses.fixed", "\"\(server)\" must be a host name and a port, as in example.com:443")
            try check(
                !list.isEmpty && list.allSatisfy(\.mayBeIpAddress), "addresses.fixed",
                "\(server) needs IP addresses, not \(list)")
        }
        let interface = addresses.interface
        try check(
            interface.map { !$0.isEmpty && !$0.contains("\0") } ?? true, "addresses.interface",
            "must be the name of an interface or host, or an IP address")
    }

    private func validateTls() throws {
        for pin in tls.pins {
            try check(
                Data(base64Encoded: pin)?.count == 32, "tls.pins",
                "each must be the base64 of a SHA-256 (32 bytes), without a prefix")
        }
        try check(
            tls.verifiesServer || tls.pins.isEmpty, "tls.pins",
            "can't be used while verifiesServer is false: the pin alone would not check the host's name")
        for (peer, setting) in [(tls.server, "tls.trustRoots"), (tls.proxy, "tls.proxy.trustRoots")] {
            try check(
                peer.verifiesServer || peer.trustRoots == .system, setting,
                "can't be set while verifiesServer is false: they would not be checked")
            if case .file(let url) = peer.trustRoots { try requireFile(url, setting) }
        }
        if let certificate = tls.clientCertificate {
            try requireFile(certificate.certificate, "tls.clientCertificate.certificate")
            try requireFile(certificate.key, "tls.clientCertificate.key")
            try check(
                certificate.origins?.allSatisfy { $0.scheme?.lowercased() == "https" && $0.host?.isEmpty == false }
                    ?? true,
                "tls.clientCertificate.origins", "each must be an https URL with a host")
        }
    }

    private func requireFile(_ url: URL, _ setting: String) throws {
        try check(url.isFileURL, setting, "must be a file URL")
        try check(FileManager.default.isReadableFile(atPath: url.path), setting, "\(url.path) can't be read")
    }
}

extension UInt8 {
    /// Whether it is allowed in a host name: letters, digits, `-`, `.`, `_`.
    fileprivate var isNameCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}

extension String {
    /// Whether it has the characters of an IPv4 or IPv6 address, and no others.
    fileprivate var mayBeIpAddress: Bool {
        (contains(".") || contains(":"))
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: "."), UInt8(ascii: ":"): true
                default: false
                }
            }
    }
}

private func check(_ condition: Bool, _ setting: String, _ reason: String) throws {
    guard condition else { throw SenderConfigurationError(setting: setting, reason: reason) }
}
