import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why a request's body can't be read, or the file for the response can't be written.
package struct BodyFailure: Error, CustomStringConvertible {
    package enum Kind: Sendable {
        case unreadable, wrongLength, alreadySent, unwritable
    }

    package let message: String
    package var kind = Kind.unreadable
    /// The error that the stream's sequence threw.
    package var cause: (any Error)?

    package var description: String { message }

    package init(message: String, kind: Kind = .unreadable, cause: (any Error)? = nil) {
        self.message = message
        self.kind = kind
        self.cause = cause
    }
}

extension BodyFailure {
    /// A file at this path can't be written.
    package static func unwritable(_ path: String, _ what: String) -> BodyFailure {
        BodyFailure(message: "\(path) \(what)", kind: .unwritable)
    }

    /// A file at this path can't be written, for the reason in `errno`.
    package static func system(_ path: String, _ what: String) -> BodyFailure {
        unwritable(path, "\(what): \(String(cString: strerror(errno))).")
    }

    /// The body's sequence threw an error.
    init(thrown error: any Error) {
        self.init(message: "the body's sequence threw: \(Redaction.standard.text("\(error)"))", cause: error)
    }

    /// The body's sequence completed after this number of bytes, fewer than the announced `length`.
    static func tooShort(_ count: Int64, of length: Int64) -> BodyFailure {
        BodyFailure(
            message: "the body's sequence ended after \(count) bytes, \(length) were announced", kind: .wrongLength)
    }

    /// The body's sequence supplied more bytes than the announced `length`.
    static func tooLong(_ length: Int64) -> BodyFailure {
        BodyFailure(
            message: "the body's sequence brought more than the \(length) bytes that were announced",
            kind: .wrongLength)
    }
}
