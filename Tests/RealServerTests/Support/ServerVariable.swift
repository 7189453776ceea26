import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What Scripts/real-servers.sh tells of the servers that it started, by the name of its environment variable.
enum ServerVariable: String {
    case nginx = "NETCHAIN_NGINX_URL"
    case nginxH2c = "NETCHAIN_NGINX_H2C_URL"
    case nginxTls = "NETCHAIN_NGINX_TLS_URL"
    case nginxUntrusted = "NETCHAIN_NGINX_UNTRUSTED_URL"
    case nginxWrongHost = "NETCHAIN_NGINX_WRONG_HOST_URL"
    case nginxExpired = "NETCHAIN_NGINX_EXPIRED_URL"
    case nginxTls12 = "NETCHAIN_NGINX_TLS12_URL"
    case nginxShort = "NETCHAIN_NGINX_SHORT_URL"
    case nginxClient = "NETCHAIN_NGINX_CLIENT_URL"
    case proxy = "NETCHAIN_PROXY_URL"
    case socks = "NETCHAIN_SOCKS_URL"
    case httpbin = "NETCHAIN_HTTPBIN_URL"
    case http2 = "NETCHAIN_HTTP2_URL"
    case http2Log = "NETCHAIN_HTTP2_LOG"
    case authorities = "NETCHAIN_CA_FILE"
    case pin = "NETCHAIN_TLS_PIN"
    case clientCertificate = "NETCHAIN_CLIENT_CERTIFICATE"
    case clientKey = "NETCHAIN_CLIENT_KEY"
    case clientSecretKey = "NETCHAIN_CLIENT_SECRET_KEY"

    var text: String? {
        ProcessInfo.processInfo.environment[rawValue]
    }

    var required: String {
        get throws { try #require(text, "\(rawValue) is not set") }
    }

    /// The server's address.
    var url: URL {
        get throws { try #require(URL(string: required), "\(rawValue) is no URL") }
    }

    /// The file.
    var file: URL {
        get throws { URL(fileURLWithPath: try required) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips what needs a server that isn't there.
    static func needs(_ variables: ServerVariable...) -> ConditionTrait {
        .enabled(
            if: variables.allSatisfy { $0.text != nil },
            "needs \(variables.map(\.rawValue).joined(separator: ", ")), which Scripts/test.sh sets")
    }
}
