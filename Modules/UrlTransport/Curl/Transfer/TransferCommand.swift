#if os(Linux)
import NodeCore

/// What other threads tell the event loop of a transfer.
enum TransferCommand: Sendable {
    case start(CurlTransfer)
    /// Its consumer has canceled or has released the response's stream.
    case cancel(CurlTransfer)
    /// Ends a pause. The transfer waited for a piece of the request's body or for the reader of the response's.
    case resume(CurlTransfer)
    /// Starts a transfer whose files are ready, or fails it.
    case filesReady(CurlTransfer, Result<PartialFile?, BodyFailure>)
    /// Settles a transfer whose file is complete or removed.
    indirect case fileCompleted(CurlTransfer, Result<HttpResponse, TransportError>)
    /// The application says that the network has changed, for all transfers.
    case networkChanged

    /// Ends what the command is about, because the event loop is closed.
    func reject() {
        switch self {
        case .start(let transfer): transfer.fail(.senderClosed, "the sender was closed")
        case .filesReady(_, .success(let file?)): file.release {}
        case .fileCompleted(let transfer, let result): transfer.context.settle(result)
        case .cancel, .resume, .networkChanged, .filesReady(_, .failure), .filesReady(_, .success(nil)): break
        }
    }
}

/// The event loop of a transfer, as the transfer sees it.
protocol TransferOwner: AnyObject, Sendable {
    /// Has the event loop execute a command, or rejects it if the loop is closed. Any thread may call it.
    func post(_ command: TransferCommand)
}
#endif
