import Logging

/// Why a request's body can't be read, or the file for the response can't be written.
package struct BodyFailure: Error {
    package enum Kind: Sendable {
        case unreadable, wrongLength, alreadySent, unwritable
    }

    package let message: String
    package var kind = Kind.unreadable
    /// The error that the stream's sequence threw.
    package var cause: (any Error)?

    package init(message: String, kind: Kind = .unreadable, cause: (any Error)? = nil) {
        self.message = message
        self.kind = kind
        self.cause = cause
    }
}

extension BodyFailure {
    /// - Parameter length: the announced length in bytes.
    package init(_ failure: BodyStream.Failure, length: Int64) {
        switch failure {
        case .thrown(let error):
            self.init(message: "the body's sequence threw: \(Redaction.standard.text("\(error)"))", cause: error)
        case .tooShort(let count):
            self.init(
                message: "the body's sequence ended after \(count) bytes, \(length) were announced",
                kind: .wrongLength)
        case .tooLong:
            self.init(
                message: "the body's sequence brought more than the \(length) bytes that were announced",
                kind: .wrongLength)
        }
    }
}
