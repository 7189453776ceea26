public import HttpMessages
import Logging
public import Models
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Continues with an empty `Json` where a response has no body: 204, 205, a response to `HEAD`, an empty body of any
/// other accepted status. (RFC 9110 §6.4.1.)
open class ResponseDataPreprocessorNode: AsyncNode<HttpResponse, HttpResponse>,
    @unchecked Sendable
{  // immutable state
    /// The node that gets responses with a body.
    package let next: Node<HttpResponse, Json>

    /// Creates the node.
    public init(next: Node<HttpResponse, Json>) {
        self.next = next
    }

    open override func execute(_ data: HttpResponse) async throws -> HttpResponse {
        guard !data.content.isEmpty else {
            log { [status = data.status] in "status \(status) without a body: passing on an empty Json" }
            return data.with(data.emptyJson)
        }
        log(.debug) { [count = data.data.count] in "passing on a body of \(count) bytes" }
        return data.with(try await next.execute(data))
    }
}

extension HttpResponse {
    /// The response, with its body as JSON.
    fileprivate consuming func with(_ json: Json) -> HttpResponse {
        readJson = json
        return self
    }

    /// The empty object of a response without a body. Errors of its decoding name the request.
    fileprivate var emptyJson: Json { (try? Json().with(provenance: provenance)) ?? Json() }

    /// The body in memory. It is empty where a response has no content, whatever the sender received: 204, 205 (RFC 9110
    /// §15.3.5, §15.3.6) and a response to `HEAD`.
    package var content: Data {
        status == 204 || status == 205 || request.method == .head ? Data() : data
    }

    /// The body decoded by a coder of its format.
    ///
    /// - Throws: `DecodingError`, which names the request.
    package func decoded<Value: Decodable>(as type: Value.Type, by coder: any BodyCoder) throws -> Value {
        do {
            guard !content.isEmpty else {
                let context = DecodingError.Context(codingPath: [], debugDescription: "There is no body.")
                throw DecodingError.valueNotFound(type, context)
            }
            return try coder.decode(type, from: content)
        } catch {
            let known = error as? DecodingError
            let other = DecodingError.Context(
                codingPath: [], debugDescription: "The body can't be read as \(coder.mediaType).",
                underlyingError: error)
            throw (known ?? .dataCorrupted(other)).followed(by: "In \(provenance)")
        }
    }

    /// The body as JSON, as the chain's parser read it. In a response that a middleware created, which the parser has
    /// not seen, the body is parsed here; an empty one is an empty object.
    ///
    /// - Throws: ``ResponseParsingError``.
    func json() throws -> Json {
        if let readJson { return readJson }
        do {
            return content.isEmpty ? emptyJson : try Json(parsing: data, provenance: provenance)
        } catch {
            throw ResponseParsingError(self, cause: error)
        }
    }
}
