import Logging
public import NodeCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension CurlConfiguration.Proxy: MaskedValue {
    /// The kind of proxy, or its URL with the user info masked.
    public var description: String {
        switch self {
        case .environment: "environment"
        case .none: "none"
        case .url(let url): Redaction.standard.url(url.absoluteString)
        }
    }
}

extension CurlConfiguration.Tls.ClientCertificate: MaskedValue {
    /// The two paths, and whether there is a password.
    public var description: String {
        let secret = password.map { _ in ", password \(Redaction.mask)" } ?? ""
        return "certificate \(certificate.path), key \(key.path)\(secret)"
    }
}

extension CurlConfiguration.Tls {
    /// The pins in the syntax of libcurl and curl.
    package var curlPins: String {
        pins.map { "sha256//\($0)" }.joined(separator: ";")
    }
}
