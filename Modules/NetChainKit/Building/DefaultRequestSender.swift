import NodeCore
import UrlTransport

#if canImport(Darwin)
import UrlSessionTransport
#endif

/// The sender of chains that are given none: libcurl on Linux, URLSession on Apple platforms, with the default
/// configuration.
///
/// It is made with the first such chain. All that it keeps are connections: no cookies, no credentials, no settings that
/// anybody could change. An application that wants another configuration makes a sender and gives it to its builders.
public enum DefaultRequestSender {
    /// The one sender that such chains share, so that they share connections.
    public static let shared: any RequestSender = make()

    private static func make() -> any RequestSender {
        do {
            #if canImport(Darwin)
            return try UrlSessionRequestSender()
            #else
            return try CurlRequestSender()
            #endif
        } catch {
            return UnavailableSender(error: error)
        }
    }

    /// Fails every request with what kept the sender from being made.
    private struct UnavailableSender: RequestSender {
        let error: any Error

        func send(_ request: RawUrlRequest) -> Observer<UrlDataResponse> {
            .emit(
                error: TransportError(
                    .internalFailure, of: request, reason: "the default sender could not be made: \(error)",
                    cause: error))
        }
    }
}
