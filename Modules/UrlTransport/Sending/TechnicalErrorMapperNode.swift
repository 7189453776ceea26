public import NodeCore

/// The failures of the system's transport layer that an application treats in its own way.
public enum TechnicalError: Error, CustomStringConvertible {
    /// There is no network.
    case noInternetConnection(TransportError)
    /// The connection, the whole request or the next byte took too long.
    case timeout(TransportError)
    /// The host isn't there or doesn't take connections.
    case cantConnectToHost(TransportError)

    /// What happened to the request.
    public var cause: TransportError {
        switch self {
        case .noInternetConnection(let error), .timeout(let error), .cantConnectToHost(let error): error
        }
    }

    /// What happened, in words.
    public var description: String {
        switch self {
        case .noInternetConnection(let error): "No internet connection: \(error)"
        case .timeout(let error): "Timeout: \(error)"
        case .cantConnectToHost(let error): "Can't connect to the host: \(error)"
        }
    }

    /// The technical error that `error` is; nil for other failures.
    public init?(_ error: TransportError) {
        switch error.code {
        case .noNetwork: self = .noInternetConnection(error)
        case .connectTimedOut, .requestTimedOut, .deadlinePassed, .stalled: self = .timeout(error)
        case .hostNotFound, .connectionRefused, .cannotConnect: self = .cantConnectToHost(error)
        default: return nil
        }
    }

    /// The technical error that `error` is, or `error` itself.
    package static func mapping(_ error: any Error) -> any Error {
        (error as? TransportError).flatMap { TechnicalError($0) } ?? error
    }
}

/// Turns the transport errors that the system is to blame for into ``TechnicalError``; the input and other errors pass
/// unchanged.
open class TechnicalErrorMapperNode<Output: Sendable>: Node<HttpRequest, Output>,
    @unchecked Sendable
{  // immutable state
    /// The node that gets the request.
    public let next: Node<HttpRequest, Output>

    /// Creates the node.
    public init(next: Node<HttpRequest, Output>) {
        self.next = next
    }

    open override func process(_ data: HttpRequest) -> Observer<Output> {
        next.process(data).mapError { TechnicalError.mapping($0) }
    }
}

extension TechnicalError: NetChainFailure {
    /// Whether there is no network.
    public var isOffline: Bool { cause.isOffline }
    /// Whether something took too long.
    public var isTimeout: Bool { cause.isTimeout }
    /// Whether the request may succeed later.
    public var isRetryable: Bool { cause.isRetryable }
}
