import EventStreams
public import Models
import NodeCore
import ResponseProcessing
import UrlTransport

// MARK: - Lines and elements

extension ApiRequest {
    /// The values of a response that has a JSON text in each line (NDJSON, JSON Lines), decoded as they arrive.
    ///
    /// ```swift
    /// for try await row in api.get("export").lines(of: Row.self) { sum += row.id }
    /// ```
    ///
    /// - The request is sent, with all its settings, when the first value is asked for. An `Accept` asks for
    ///   `application/x-ndjson` unless the request has one.
    /// - Blank lines are skipped. A response of the type `application/json-seq`, or one with the suffix `+json-seq`, is
    ///   read as a JSON text sequence (RFC 7464), in which a text may have several lines.
    /// - The client's JSON decoder decodes each value. One that isn't of the type is a `DecodingError` that names the
    ///   line, counted from 1, and the request. Then the stream has ended.
    /// - A line that is too long, and a truncated record, is a `ValueStreamError`. All other errors are those of
    ///   `stream()`.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - limit: the longest line or record in bytes.
    @_disfavoredOverload
    public func lines<Row: Decodable & Sendable>(of type: Row.Type, limit: Int = 1 << 20) -> ValueStream<Row> {
        lines(limit: limit) { [decoder = settings.json.decoder] in
            RowDecoder(decoding: type, by: decoder, of: $0)
        }
    }

    /// The values of a response that has a JSON text in each line, as models with two layers.
    public func lines<Row: DTODecodable>(of type: Row.Type, limit: Int = 1 << 20) -> ValueStream<Row>
    where Row.DTO.Raw == Json {
        lines(limit: limit) { RowDecoder(mapping: type, of: $0) }
    }

    /// The elements of a JSON array, decoded as they arrive, without holding the document.
    ///
    /// ```swift
    /// for try await row in api.get("rows").elements(of: Row.self, at: "items") { sum += row.id }
    /// ```
    ///
    /// - The request is sent, with all its settings, when the first element is asked for. An `Accept` asks for
    ///   `application/json` unless the request has one.
    /// - The array is the document, or the value at a path of keys in nested objects. Of equal keys in an object, the
    ///   first counts. A document without the array is `ValueStreamError.Code.invalidJson`. So is one that
    ///   `JsonElementParser` rejects, which checks the structure also after the last element.
    /// - The client's JSON decoder decodes each element. One that isn't of the type is a `DecodingError` with the index,
    ///   counted from 0, in its coding path, and it names the request. Then the stream has ended.
    /// - An element that is too long, and a body that isn't complete, is a `ValueStreamError`. A response with status
    ///   204 or 205, which has no body, has no elements. All other errors are those of `stream()`.
    ///
    /// - Parameters:
    ///   - type: the type of the elements.
    ///   - path: the keys of the array, outermost first; none if the array is the document.
    ///   - limit: the longest element in bytes.
    @_disfavoredOverload
    public func elements<Row: Decodable & Sendable>(
        of type: Row.Type, at path: String..., limit: Int = 1 << 20
    ) -> ValueStream<Row> {
        elements(at: path, limit: limit) { [decoder = settings.json.decoder] in
            RowDecoder(decoding: type, by: decoder, of: $0)
        }
    }

    /// The elements of a JSON array, as models with two layers.
    public func elements<Row: DTODecodable>(
        of type: Row.Type, at path: String..., limit: Int = 1 << 20
    ) -> ValueStream<Row> where Row.DTO.Raw == Json {
        elements(at: path, limit: limit) { RowDecoder(mapping: type, of: $0) }
    }

    private func lines<Row>(
        limit: Int, _ decoder: @escaping @Sendable (_ request: String) -> RowDecoder<Row>
    ) -> ValueStream<Row> {
        ValueStream(
            DeferredValues {
                let body = try await openStream(
                    accepting: "application/x-ndjson, application/json-seq;q=0.9, */*;q=0.1")
                let (bytes, decoder) = (body.bytes, decoder(body.request))
                if body.isJsonSequence { return ParsedValues(of: bytes, JsonSequenceParser(decoder, limit: limit)) }
                return ParsedValues(of: bytes, JsonLineParser(decoder, limit: limit))
            })
    }

    private func elements<Row>(
        at path: [String], limit: Int, _ decoder: @escaping @Sendable (_ request: String) -> RowDecoder<Row>
    ) -> ValueStream<Row> {
        ValueStream(
            DeferredValues {
                let body = try await openStream(accepting: "application/json, */*;q=0.1")
                if body.hasNoContent { return NoValues() }
                return ParsedValues(of: body.bytes, JsonElements(decoder(body.request), at: path, limit: limit))
            })
    }
}

/// A source without values.
private struct NoValues<Element: Sendable>: ValueSource {
    func next() async -> Element? { nil }
}

// MARK: - The response

/// A response whose body is read as a stream of values.
struct ValueResponse: Sendable {
    let bytes: ByteStream
    let status: Int
    /// The media type in lower case, without parameters; empty where the response has none.
    let mediaType: String
    /// The method and URL of the request, with secrets masked.
    let request: String

    /// Whether the body is a JSON text sequence (RFC 7464, RFC 8091).
    var isJsonSequence: Bool { mediaType == "application/json-seq" || mediaType.hasSuffix("+json-seq") }

    /// Whether the status says that there is no body (RFC 9110 §15.3.5, §15.3.6).
    var hasNoContent: Bool { status == 204 || status == 205 }
}

extension ApiRequest {
    /// Sends the request, as a request that is made now, and returns the response as soon as its head has arrived. All
    /// streams of values are opened here.
    ///
    /// - Parameter types: the `Accept` of a request that has none.
    func openStream(accepting types: String) async throws -> ValueResponse {
        let request = settings.headers["Accept"] == nil ? setting { $0.headers["Accept"] = types } : self
        let chain = request.chain(.bytes, destination: .stream) { response in
            ValueResponse(
                bytes: try response.receivedStream, status: response.status,
                mediaType: response.headers["Content-Type"]?.lowercasedMediaType ?? "", request: response.requestLine)
        }
        return try await chain.executeAsRequest(())
    }
}
