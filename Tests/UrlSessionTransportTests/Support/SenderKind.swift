import NodeCore
import UrlSessionTransport
import UrlTransport

/// The senders that keep the same promises: what is tested over each of them.
enum SenderKind: CaseIterable, Sendable {
    #if os(Linux)
    case curl
    #endif
    case urlSession

    /// Those that keep promises that FoundationNetworking, URLSession on Linux, breaks: `UrlSessionRequestSender` lists
    /// them.
    static let withoutFoundationNetworking: [SenderKind] = {
        #if os(Linux)
        [.curl]
        #else
        [.urlSession]
        #endif
    }()

    /// A sender without a proxy, which the environment may name and which doesn't know this machine's loopback.
    func sender(_ change: (inout SenderConfiguration) -> Void = { _ in }) throws -> any RequestSender {
        var configuration = SenderConfiguration()
        configuration.proxy = .none
        change(&configuration)
        #if os(Linux)
        if self == .curl { return try CurlRequestSender(configuration: CurlRequestSender.Configuration(configuration)) }
        #endif
        return try UrlSessionRequestSender(configuration: configuration)
    }
}
