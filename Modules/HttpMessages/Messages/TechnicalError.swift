import NodeCore

/// A failure of the network that an application typically handles separately.
public enum TechnicalError: Error, CustomStringConvertible {
    /// There is no network.
    case noInternetConnection(TransportError)
    /// A time limit was exceeded: that of the connection, the request, all attempts or the next byte.
    case timeout(TransportError)
    /// The host doesn't exist or doesn't accept connections.
    case cantConnectToHost(TransportError)

    /// The error of the sender.
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

    /// Creates the technical error for `error`; nil for other failures.
    package init?(_ error: TransportError) {
        switch error.code {
        case .noNetwork: self = .noInternetConnection(error)
        case .connectTimedOut, .requestTimedOut, .deadlinePassed, .stalled: self = .timeout(error)
        case .hostNotFound, .connectionRefused, .cannotConnect: self = .cantConnectToHost(error)
        default: return nil
        }
    }

    /// Returns the technical error for `error`, or `error` itself.
    package static func mapping(_ error: any Error) -> any Error {
        (error as? TransportError).flatMap { TechnicalError($0) } ?? error
    }
}

extension TechnicalError {
    /// Unavailable: names the case.
    @available(*, unavailable, message: "write .timeout; the code of its cause is .deadlinePassed")
    public static var deadlineExceeded: TechnicalError { preconditionFailure("an unavailable member was called") }
}

extension TechnicalError: NetChainFailure {
    /// Whether there is no network.
    public var isOffline: Bool { cause.isOffline }
    /// Whether a time limit was exceeded.
    public var isTimeout: Bool { cause.isTimeout }
    /// Whether the request may succeed later.
    public var isRetryable: Bool { cause.isRetryable }
    /// The name of the cause's code.
    public var errorType: String { cause.errorType }
}
