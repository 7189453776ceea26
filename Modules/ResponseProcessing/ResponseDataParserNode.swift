import Logging
public import Models
public import NodeCore
public import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the body as JSON: objects, arrays and everything else that JSON can be.
///
/// What is no JSON ends the chain with a ``ResponseParsingError``.
open class ResponseDataParserNode: Node<HttpResponse, Json>, @unchecked Sendable {  // immutable state
    /// Creates the node.
    public override init() {}

    open override func process(_ data: HttpResponse) -> Observer<Json> {
        do {
            let json = try Json(parsing: data.data, origin: data.origin)
            log { [count = data.data.count] in "JSON of \(count) bytes" }
            return .emit(data: json)
        } catch {
            let error = ResponseParsingError(data, cause: error)
            log(error)
            return .emit(error: error)
        }
    }
}

/// The body of an answer is no JSON.
public struct ResponseParsingError: BodyRetaining, MaskedValue {
    /// The answer, body included.
    public let response: HttpResponse
    /// What is wrong with the text, and where.
    public let cause: JsonError

    /// About how many bytes of bodies it keeps.
    package var retainedBodyBytes: Int {
        response.retainedBytes
    }

    init(_ response: HttpResponse, cause: JsonError) {
        self.response = response
        self.cause = cause
    }

    /// Which request's answer is no JSON, where and why. Holds no part of the body.
    public var description: String {
        let type = response.mediaType.map { ", declared as \($0)" } ?? ""
        return """
            The response to \(response.requestLine) (status \(response.statusCode), \(response.data.count) bytes\(type)) \
            can't be read: \(cause)
            """
    }
}

extension ResponseParsingError: NetChainFailure {
    /// The status of the response.
    public var status: Int? { response.statusCode }
}
