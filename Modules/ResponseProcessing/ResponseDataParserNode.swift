import Dispatch
import Logging
public import Models
public import NodeCore
public import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the body as JSON: objects, arrays and everything else that JSON can be. (As in CoreNetKit.)
///
/// What is no JSON ends the chain with a ``ResponseParsingError``. A body of 16 KiB or more is read on a global queue,
/// and what comes after it, up to the model, happens there: the thread that brings the answer drives all transfers of its
/// sender, and would be busy with one of them. A task that awaits the chain and was left the answer reads it itself.
open class ResponseDataParserNode: Node<UrlDataResponse, Json>, @unchecked Sendable {  // immutable state
    /// Bytes from which on reading and mapping take several times what a change of threads takes.
    private static let large = 16 << 10

    /// Makes the node.
    public override init() {}

    open override func process(_ data: UrlDataResponse) -> Observer<Json> {
        guard data.data.count >= Self.large, !WaitingTask.isAtWork else { return Observer(parse(data)) }
        return Observer(on: .global()) { [self] in parse(data) }
    }

    private func parse(_ data: UrlDataResponse) -> Outcome<Json> {
        do {
            let json = try Json(parsing: data.data, origin: data.origin)
            log { "JSON of \(data.data.count) bytes" }
            return .completed(json)
        } catch {
            let error = ResponseParsingError(data, cause: error)
            log(.error) { "\(error)" }
            return .failed(error)
        }
    }
}

/// The body of an answer is no JSON.
public struct ResponseParsingError: Error, MaskedValue {
    /// The answer, body included.
    public let response: UrlDataResponse
    /// What is wrong with the text, and where.
    public let cause: JsonError

    init(_ response: UrlDataResponse, cause: JsonError) {
        self.response = response
        self.cause = cause
    }

    /// Which request's answer is no JSON, where and why. Holds no part of the body.
    public var description: String {
        let type = response.mediaType.map { ", declared as \($0)" } ?? ""
        return """
            The answer to \(response.requestLine) (status \(response.statusCode), \(response.data.count) bytes\(type)) \
            can't be read: \(cause)
            """
    }
}
