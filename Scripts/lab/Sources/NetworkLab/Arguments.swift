import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The arguments of the program, `key=value` each.
struct Arguments {
    /// The URL of all requests.
    var url = ""
    var method = HttpMethod.get
    /// How many requests are sent; with ``seconds`` at the most.
    var count = Int.max
    /// How many requests are sent at the same time.
    var concurrency = 1
    /// How long requests are started.
    var seconds: Duration?
    /// `http1`, `http2` or `prior`. TLS negotiates `http2`. `prior` is HTTP/2 by prior knowledge; so is `http2` for an
    /// `http` URL.
    var version = "http1"
    /// The size of each request's body in bytes.
    var body = 0
    /// From the start of a request to that of the next one, where it has completed by then.
    var interval: Duration?
    var timeout: Duration?
    var stall: Duration?
    /// The file of the trusted authorities.
    var ca: String?
    var proxy: String?
    /// The file that each response's body is downloaded to, with resuming.
    var download: String?
    /// How often the chain sends a request that failed.
    var attempts = 1
    /// The URL of one more request, which is started first and canceled last.
    var silent: String?
    /// The `X-Request-Id` of the first request.
    var first = 0
    /// Whether the report has the reasons why the sender sent requests again. Each request is logged for it.
    var explainsResends = false

    /// nil for arguments that can't be used.
    init?(_ words: some Sequence<String>) {
        for word in words {
            guard let sign = word.firstIndex(of: "=") else { return nil }
            let value = String(word[word.index(after: sign)...])
            switch word[..<sign] {
            case "url": url = value
            case "method": method = HttpMethod(rawValue: value)
            case "version": version = value
            case "ca": ca = value
            case "proxy": proxy = value
            case "download": download = value
            case "silent": silent = value
            case let key:
                guard let number = Double(value), number >= 0, set(key, to: number) else { return nil }
            }
        }
        guard !url.isEmpty, count < Int.max || seconds != nil else { return nil }
    }

    private mutating func set(_ key: Substring, to number: Double) -> Bool {
        switch key {
        case "count": count = Int(number)
        case "concurrency": concurrency = Int(number)
        case "body": body = Int(number)
        case "attempts": attempts = Int(number)
        case "first": first = Int(number)
        case "resends": explainsResends = number != 0
        case "seconds": seconds = .seconds(number)
        case "interval": interval = .seconds(number)
        case "timeout": timeout = .seconds(number)
        case "stall": stall = .seconds(number)
        default: return false
        }
        return true
    }

    func senderConfiguration() -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.httpVersion =
            switch version {
            case "http1": .http1
            case "http2" where url.hasPrefix("https:"): .automatic
            default: .http2PriorKnowledge
            }
        if let ca { configuration.tls.trustRoots = .file(URL(fileURLWithPath: ca)) }
        configuration.proxy = proxy.flatMap { URL(string: $0) }.map { .url($0) } ?? .none
        if let stall { configuration.timeouts.stall = stall }
        return configuration
    }
}
