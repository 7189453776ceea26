/// Why a transfer fails: the code and the reason of its ``TransportError``.
struct TransferFailure: Error {
    let code: TransportError.Code
    let reason: String
    /// The application's own error, if one caused it.
    var cause: (any Error)?

    init(_ code: TransportError.Code, _ reason: String, cause: (any Error)? = nil) {
        self.code = code
        self.reason = reason
        self.cause = cause
    }

    init(_ failure: BodyFailure) {
        self.init(failure.code, failure.message, cause: failure.cause)
    }

    /// The failure of a response that is not one of HTTP.
    static func invalidResponse(_ reason: String) -> TransferFailure {
        TransferFailure(.invalidResponse, reason)
    }

    /// The failure of a body that is larger than `limit` bytes, before or after it is decoded.
    static func responseTooLarge(_ limit: Int) -> TransferFailure {
        TransferFailure(.responseTooLarge, "the body is larger than limits.responseSize, \(limit) bytes")
    }
}
