#if os(Linux)
import CNetChainCurl
public import NodeCore

/// Sends with libcurl: one thread, one pool of connections.
///
/// Connections, TLS sessions and, where they are kept, cookies belong to the sender; make one and use it for all
/// requests that may share them. When the last reference goes, requests under way still come to their end. Answers are
/// delivered on the sender's thread, which must not be blocked.
public final class CurlRequestSender: RequestSender {
    /// How the sender works.
    public let configuration: SenderConfiguration
    private let loop: CurlEventLoop

    /// Makes a sender and starts its thread.
    ///
    /// - Throws: ``SenderConfigurationError`` for settings that can't work or are unsafe by mistake.
    public init(configuration: SenderConfiguration = SenderConfiguration()) throws {
        try configuration.validate()
        if configuration.httpVersion == .http2PriorKnowledge, netchain_supports_http2() == 0 {
            throw SenderConfigurationError(setting: "httpVersion", reason: "this libcurl was built without HTTP/2")
        }
        self.configuration = configuration
        loop = try CurlEventLoop(configuration: configuration)
    }

    deinit {
        loop.finish()
    }

    public func send(_ request: RawUrlRequest) -> Observer<UrlDataResponse> {
        guard request.method != .connect, !request.method.rawValue.isEmpty,
            request.method.rawValue.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            return .emit(
                error: TransportError(
                    .invalidUrl, of: request, reason: "\"\(request.method)\" is no method that can be sent"))
        }
        let transfer = CurlTransfer(request, configuration: configuration)
        guard loop.start(transfer) else {
            transfer.fail(.senderClosed, "the sender was closed")
            return transfer.context.observer
        }
        transfer.context.onCancel { [loop, weak transfer] in
            if let transfer { loop.cancel(transfer) }
        }
        return transfer.context.observer
    }

    /// Ends the sender at once: requests under way and later ones fail with ``TransportError/Code/senderClosed``.
    public func close() {
        loop.close()
    }
}
#endif
