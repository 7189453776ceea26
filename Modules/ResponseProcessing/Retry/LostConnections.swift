import HttpMessages

/// Decides what is sent again without a policy: requests whose connections were lost before a response. The table is that
/// of ``RetryNode``.
struct LostConnections {
    /// Whether a request may be sent again that a server may have processed.
    let mayRepeatProcessed: Bool
    /// How often the request was sent again because no server had processed it.
    private var unprocessed = 0
    /// Whether it was sent again although a server may have processed it.
    private var hasRepeated = false

    init(mayRepeatProcessed: Bool) {
        self.mayRepeatProcessed = mayRepeatProcessed
    }

    /// Returns whether the request is sent again at once, and counts that.
    mutating func sendAgain(_ request: HttpRequest, after error: any Error) -> Bool {
        guard let error = error.transportError, error.hasLostConnection, request.body.canBeSent else { return false }
        switch error.wasProcessed {
        case .no:
            guard unprocessed < 3 else { return false }
            unprocessed += 1
        case .unknown:
            guard mayRepeatProcessed, !hasRepeated, request.mayBeSentTwice else { return false }
            hasRepeated = true
        case .yes: return false
        }
        return true
    }

    /// Whether other connections like the one that was lost may be dead, too. One whose server has refused a stream works.
    static func condemns(_ error: any Error) -> Bool {
        guard let error = error.transportError else { return false }
        return error.hasLostConnection && error.wasProcessed == .unknown
    }
}

extension Error {
    /// The error of the transport that this error is, or that caused it.
    var transportError: TransportError? { (self as? TechnicalError)?.cause ?? self as? TransportError }
}
