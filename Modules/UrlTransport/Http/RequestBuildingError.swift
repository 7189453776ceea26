import Logging
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request could not be built, so nothing was sent.
public struct RequestBuildingError: Error, MaskedValue {
    /// The kind of a ``RequestBuildingError``; new kinds may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The builder was given no route.
        public static let missingRoute = Code(description: "missingRoute")
        /// The route's URL is none, or not one that HTTP can use.
        public static let invalidUrl = Code(description: "invalidUrl")
        /// The route's `url()` threw; its error is the cause.
        public static let routeFailed = Code(description: "routeFailed")
        /// A value of the query is of a type that has no place in a query.
        public static let unsupportedQueryValue = Code(description: "unsupportedQueryValue")
        /// The parameters don't fit the encoding, as an array in a form.
        public static let unencodableParameters = Code(description: "unencodableParameters")
        /// A file to upload isn't there, isn't a regular file or can't be read.
        public static let unreadableFile = Code(description: "unreadableFile")
        /// All bytes of a body were asked for that is a stream, which only a sender can read.
        public static let streamedBody = Code(description: "streamedBody")
        /// A header's name or value could not be sent as it is, because it would break out of its line.
        public static let invalidHeader = Code(description: "invalidHeader")
        /// An override left out a part of the chain that the builder was asked for.
        public static let partLeftOut = Code(description: "partLeftOut")
        /// A metadata provider threw; its error is the cause.
        public static let metadataFailed = Code(description: "metadataFailed")
    }

    /// What happened.
    public let code: Code
    /// What happened, in words. Holds no header values, tokens or bodies; the words of a cause have their secrets masked.
    public let description: String
    /// The error behind this one, where there is one.
    public let cause: (any Error)?

    /// Creates the error.
    public init(_ code: Code, _ description: String, cause: (any Error)? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    static func unreadable(file url: URL, cause: any Error) -> RequestBuildingError {
        RequestBuildingError(.unreadableFile, "\(url.path) can't be read for the upload.", cause: cause)
    }
}

extension RequestBuildingError {
    /// What `body` returns; an error of another type becomes the cause of one that tells that the route failed.
    static func wrappingRouteFailure<Result>(_ body: () throws -> Result) throws -> Result {
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

extension RequestBuildingError: NetChainFailure {}
