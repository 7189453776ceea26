extension BodyFailure {
    /// The code of the transport error that the request fails with.
    package var code: TransportError.Code {
        switch kind {
        case .unreadable: .uploadFailed
        case .wrongLength: .bodyLengthMismatch
        case .alreadySent: .bodyAlreadySent
        case .unwritable: .destinationFailed
        }
    }
}
