import Logging
public import NodeCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The error of a request that could not be built. Nothing was sent.
public struct RequestBuildingError: Error, MaskedValue {
    /// The kind of a ``RequestBuildingError``. Later versions may add kinds.
    public struct Code: ErrorCode {
        package let name: String

        /// The builder was given no route.
        public static let missingRoute = Code(name: "missingRoute")
        /// The route's URL is invalid, or not an HTTP URL.
        public static let invalidUrl = Code(name: "invalidUrl")
        /// The route's `url()` threw; its error is the cause.
        public static let routeFailed = Code(name: "routeFailed")
        /// A query value has a type that can't be written in a query.
        public static let unsupportedQueryValue = Code(name: "unsupportedQueryValue")
        /// The parameters can't be written in this encoding, such as an array in a form.
        public static let unencodableParameters = Code(name: "unencodableParameters")
        /// A file to upload doesn't exist, is not a regular file or can't be read.
        public static let unreadableFile = Code(name: "unreadableFile")
        /// All bytes of a stream were requested. Only a sender can read it.
        public static let streamedBody = Code(name: "streamedBody")
        /// A header's name or value contains characters that would allow header injection.
        public static let invalidHeader = Code(name: "invalidHeader")
        /// An override returned no node for a part of the chain that the builder needs.
        public static let partLeftOut = Code(name: "partLeftOut")
        /// A metadata provider threw; its error is the cause.
        public static let metadataFailed = Code(name: "metadataFailed")
    }

    /// The kind of the error.
    public let code: Code
    /// What happened. Contains no header values, tokens or bodies. Secrets in the text of a cause are masked.
    public let description: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    package init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    static func unreadable(file url: URL, _ reason: String = "", cause: any Error) -> RequestBuildingError {
        RequestBuildingError(.unreadableFile, "\(url.path) can't be read for the upload\(reason).", cause: cause)
    }
}

extension RequestBuildingError {
    /// Returns the result of `body`. Wraps any error other than a ``RequestBuildingError`` in one with
    /// ``Code/routeFailed``.
    package static func wrappingRouteFailure<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as RequestBuildingError {
            throw error
        } catch {
            let reason = Redaction.standard.text("\(error)")
            throw RequestBuildingError(.routeFailed, "The route gave no URL: \(reason)", cause: error)
        }
    }
}

/// An error of an attempt of which nothing was sent.
package protocol UnsentRequestError: Error {}

extension RequestBuildingError: UnsentRequestError {}

extension RequestBuildingError: NetChainFailure {
    /// The name of the code.
    public var errorType: String { code.name }
}
