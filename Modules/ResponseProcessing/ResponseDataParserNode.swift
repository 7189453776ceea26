public import HttpMessages
import Logging
public import Models
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Parses the body as JSON: an object, an array or any other JSON value.
///
/// Invalid JSON fails the chain with a ``ResponseParsingError``.
open class ResponseDataParserNode: AsyncNode<HttpResponse, Json>, @unchecked Sendable {  // immutable state
    /// Creates the node.
    public override init() {}

    open override func execute(_ data: HttpResponse) async throws -> Json {
        do {
            let json = try Json(parsing: data.data, provenance: data.provenance)
            log { [count = data.data.count] in "JSON of \(count) bytes" }
            return json
        } catch {
            let error = ResponseParsingError(data, cause: error)
            log(error)
            throw error
        }
    }
}

/// The body of a response is invalid JSON.
public struct ResponseParsingError: BodyRetaining, MaskedValue {
    /// The response, body included.
    public let response: HttpResponse
    /// What is wrong with the text, and where.
    public let cause: JsonError

    package var retainedBodyBytes: Int {
        response.retainedBytes
    }

    init(_ response: HttpResponse, cause: JsonError) {
        self.response = response
        self.cause = cause
    }

    /// The request, and where and why the response's body is invalid JSON. Contains no part of the body.
    public var description: String {
        let type = response.mediaType.map { ", declared as \($0)" } ?? ""
        return """
            The response to \(response.requestLine) (status \(response.status), \(response.data.count) bytes\(type)) \
            can't be read: \(cause)
            """
    }
}

extension ResponseParsingError: NetChainFailure {
    /// The status of the response.
    public var status: Int? { response.status }
}
