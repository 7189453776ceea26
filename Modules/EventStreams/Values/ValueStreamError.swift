internal import HttpMessages
internal import Models
public import NodeCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Why a response can't be read as a stream of values.
///
/// A value that has another form is a `DecodingError`, and a body that is cut is the error of the sender.
public struct ValueStreamError: NetChainFailure, MaskedValue {
    /// The kind of a ``ValueStreamError``. New kinds may come.
    public struct Code: ErrorCode {
        package let name: String

        /// A line is longer than its limit.
        public static let lineTooLong = Code(name: "lineTooLong")
        /// The data of a server-sent event are longer than their limit.
        public static let eventTooLong = Code(name: "eventTooLong")
        /// An element of a JSON array, or a record of a JSON text sequence, is longer than its limit.
        public static let elementTooLong = Code(name: "elementTooLong")
        /// The response has another media type.
        public static let unexpectedContentType = Code(name: "unexpectedContentType")
        /// The body ended before what announces its end.
        public static let incomplete = Code(name: "incomplete")
        /// The body is no JSON text and no sequence of them, or has no array where the elements are expected.
        public static let invalidJson = Code(name: "invalidJson")
        /// The rule of the pages asks for a page a second time.
        public static let repeatedPage = Code(name: "repeatedPage")
    }

    /// What happened.
    public let code: Code
    /// What happened, in words, without anything of the body.
    public let reason: String
    /// The method and URL of the request, with secrets masked; nil where they aren't known.
    public package(set) var request: String?

    /// Creates an error.
    package init(_ code: Code, _ reason: String, of request: String? = nil) {
        self.code = code
        self.reason = reason
        self.request = request
    }

    /// The error of something that is longer than `limit` bytes.
    package static func tooLong(_ code: Code, _ limit: Int) -> ValueStreamError {
        let what =
            switch code {
            case .lineTooLong: "A line"
            case .eventTooLong: "The data of an event"
            default: "An element"
            }
        return ValueStreamError(code, "\(what) is longer than \(limit) bytes, the limit of the stream.")
    }

    /// The same error with its request.
    package func of(_ request: @autoclosure () -> String) -> ValueStreamError {
        var error = self
        if error.request == nil { error.request = request() }
        return error
    }

    /// Whether the body was cut, so that the same request may succeed later.
    public var isRetryable: Bool { code == .incomplete }

    /// The name of the code.
    public var errorType: String { code.name }

    /// The reason, and the request where it is known.
    public var description: String {
        guard let request else { return "\(reason) [\(code)]" }
        return code == .repeatedPage
            ? "\(request) was not sent: \(reason) [\(code)]"
            : "The response to \(request) can't be read as a stream of values: \(reason) [\(code)]"
    }
}

extension ValueStreamError: DescribedError {}
