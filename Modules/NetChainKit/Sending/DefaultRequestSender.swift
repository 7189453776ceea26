import UrlTransport

#if canImport(Darwin)
import UrlSessionTransport
#endif

/// The sender of chains that name none: libcurl on Linux, URLSession on Apple platforms, with the default
/// configuration.
///
/// It is created at its first use. It keeps connections only: no cookies, no credentials and no mutable settings. For
/// another configuration, create a sender and pass it to the builders.
public enum DefaultRequestSender {
    /// The one sender that such chains share, so that they share connections.
    public static let shared: any RequestSender = make()

    /// Creates the platform's sender, so that an application needs no `#if`.
    ///
    /// - Throws: `SenderConfigurationError` for invalid settings.
    public static func make(_ configuration: SenderConfiguration) throws -> any RequestSender {
        #if canImport(Darwin)
        try UrlSessionRequestSender(configuration: configuration)
        #else
        try CurlRequestSender(configuration: CurlRequestSender.Configuration(configuration))
        #endif
    }

    private static func make() -> any RequestSender {
        do {
            return try make(SenderConfiguration())
        } catch {
            return UnavailableSender(error: error)
        }
    }

    /// Fails every request with the error that prevented the creation of the sender.
    private struct UnavailableSender: RequestSender {
        let error: any Error

        func send(_ request: HttpRequest) async throws -> HttpResponse {
            throw TransportError(
                .internalFailure, of: request, reason: "the default sender could not be made: \(error)", cause: error)
        }
    }
}
