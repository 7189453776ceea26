import NodeCore
import Synchronization
import UrlTransport

#if canImport(Darwin)
import UrlSessionTransport
#endif

/// The sender of chains that name none: libcurl on Linux, URLSession on Apple platforms, with the default
/// configuration.
///
/// It is created at its first use. It keeps connections only: no cookies, no credentials and no mutable settings. For
/// another configuration, create a sender and pass it to the builders. On Linux a forked process creates its own
/// sender.
public enum DefaultRequestSender {
    /// The one sender that such chains share, so that they share connections.
    public static let shared: any RequestSender = {
        #if os(Linux)
        OfThisProcess()
        #else
        make()
        #endif
    }()

    /// Creates the platform's sender, so that an application needs no `#if`.
    ///
    /// - Throws: `SenderConfigurationError` for settings that are invalid or that the platform's sender doesn't
    ///   support.
    public static func make(_ configuration: SenderConfiguration) throws -> any RequestSender {
        #if canImport(Darwin)
        try UrlSessionRequestSender(configuration: configuration)
        #else
        try CurlRequestSender(configuration: configuration)
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

        func send(_ request: HttpRequest) -> Observer<HttpResponse> {
            .emit(
                error: TransportError(
                    .internalFailure, of: request, reason: "the default sender could not be made: \(error)",
                    cause: error))
        }
    }

    #if os(Linux)
    /// Sends with the sender of the current process, so that inherited chains work in a forked process.
    private struct OfThisProcess: RequestSender {
        func send(_ request: HttpRequest) -> Observer<HttpResponse> {
            DefaultRequestSender.ofThisProcess.send(request)
        }
    }

    private final class Made: Sendable {
        let sender = make()
        let forks: Int

        init(forks: Int) {
            self.forks = forks
        }
    }

    /// The address of the last `Made`, which is never released. No lock guards it: in a forked process, a thread that
    /// doesn't exist there could hold the lock.
    private static let made = Atomic<UInt>(0)

    private static var ofThisProcess: any RequestSender {
        let forks = Forks.begin()
        while true {
            let known = made.load(ordering: .acquiring)
            if let pointer = UnsafeRawPointer(bitPattern: known) {
                let made = Unmanaged<Made>.fromOpaque(pointer).takeUnretainedValue()
                if made.forks == forks { return made.sender }
            }
            let new = Unmanaged.passRetained(Made(forks: forks))
            let isFirst = made.compareExchange(
                expected: known, desired: UInt(bitPattern: new.toOpaque()), ordering: .acquiringAndReleasing
            ).exchanged
            if !isFirst { new.release() }
        }
    }
    #endif
}
