#if os(Linux)
import HttpMessages

/// The settings of a sender, shared by its transfers.
final class CurlSettings: Sendable {
    let configuration: CurlConfiguration
    /// Whether requests over TCP may go through a proxy.
    let hasProxy: Bool

    init(_ configuration: CurlConfiguration) {
        self.configuration = configuration
        hasProxy =
            switch configuration.proxy {
            // libcurl ignores `HTTP_PROXY`, which the client of a CGI program can set.
            case .environment:
                ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains(where: environmentHas)
            case .none: false
            case .url: true
            }
    }
}
#endif
