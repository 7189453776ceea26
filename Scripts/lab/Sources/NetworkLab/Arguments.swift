import FoundationEssentials
import NetChainKit

/// What Scripts/lab/network/network_lab.py asks of the program. Times are in seconds.
struct Arguments: Decodable {
    /// The URL of all requests.
    let url: String
    /// `GET` by default.
    let method: String?
    /// How many requests are sent; without it, for ``seconds``.
    let count: Int?
    /// How long requests are started.
    let seconds: Double?
    /// How many requests are sent at the same time, 1 by default.
    let concurrency: Int?
    /// `http1`, `http2` or `prior`. TLS negotiates `http2`. `prior` is HTTP/2 by prior knowledge.
    let version: String
    /// The size of each request's body in bytes.
    let body: Int?
    /// From the start of a request to that of the next one, where it has completed by then.
    let interval: Double?
    let timeout: Double?
    let stall: Double?
    /// The file of the trusted authorities.
    let ca: String
    let proxy: String?
    /// The file that each response's body is downloaded to, with resuming.
    let download: String?
    /// How often the chain sends a request that failed, once by default.
    let attempts: Int?
    /// The URL of one more request, which is started first and canceled last.
    let silent: String?
    /// The `X-Request-Id` of the first request.
    let first: Int

    func senderConfiguration() -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.httpVersion =
            switch version {
            case "http1": .http1
            case "http2": .automatic
            default: .http2PriorKnowledge
            }
        configuration.tls.trustRoots = .file(URL(filePath: ca))
        configuration.proxy = proxy.flatMap { URL(string: $0) }.map { .url($0) } ?? .none
        if let stall { configuration.timeouts.stall = .seconds(stall) }
        return configuration
    }
}
