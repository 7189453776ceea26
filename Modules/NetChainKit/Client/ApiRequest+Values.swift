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
    /// - `timeout` and `stallTimeout` hold until the head of the response has arrived, since a watch may be silent for hours.
    ///   `deadline` is for everything.
    /// - A line that is too long, and a truncated record, is a `ValueStreamError`. All other errors are those of
    ///   `stream()`.
    ///
    /// - Parameters:
    ///   - type: the type of the values.
    ///   - limit: the longest line or record in bytes.
    ///   - silenceLimit: how long the server may send nothing while a value is waited for. After that the stream fails with
    ///     `TechnicalError.timeout`. nil for no limit.
    @_disfavoredOverload
    public func lines<Row: Decodable & Sendable>(
        of type: Row.Type, limit: Int = 1 << 20, silenceLimit: Duration? = nil
    ) -> ValueStream<Row> {
        lines(limit: limit, silenceLimit) { [decoder = settings.json.decoder] in
            RowDecoder(decoding: type, by: decoder, of: $0)
        }
    }

    /// The values of a response that has a JSON text in each line, as models with two layers.
    public func lines<Row: DTODecodable>(
        of type: Row.Type, limit: Int = 1 << 20, silenceLimit: Duration? = nil
    ) -> ValueStream<Row> where Row.DTO.Raw == Json {
        lines(limit: limit, silenceLimit) { RowDecoder(mapping: type, of: $0) }
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
        limit: Int, _ silenceLimit: Duration?,
        _ decoder: @escaping @Sendable (_ request: String) -> RowDecoder<Row>
    ) -> ValueStream<Row> {
        ValueStream(
            DeferredValues {
                let request = accepting("application/x-ndjson, application/json-seq;q=0.9, */*;q=0.1")
                    .setting { $0.isForValues = true }
                let response = try await request.openStream()
                let body = try response.pieces(silenceLimit, settings.clock)
                let decoder = decoder(response.requestLine).naming(response.otherMediaType)
                if response.isJsonSequence { return ParsedValues(of: body, JsonSequenceParser(decoder, limit: limit)) }
                return ParsedValues(of: body, JsonLineParser(decoder, limit: limit))
            })
    }

    private func elements<Row>(
        at path: [String], limit: Int, _ decoder: @escaping @Sendable (_ request: String) -> RowDecoder<Row>
    ) -> ValueStream<Row> {
        ValueStream(
            DeferredValues {
                let response = try await accepting("application/json, */*;q=0.1").openStream()
                if [204, 205].contains(response.status) { return NoValues() }
                return ParsedValues(
                    of: try response.pieces(nil, settings.clock),
                    JsonElements(decoder(response.requestLine).naming(response.otherMediaType), at: path, limit: limit))
            })
    }

    /// Sends the request, and returns the response with its body as a stream, as soon as its head has arrived.
    private func openStream() async throws -> HttpResponse {
        try await chain(.bytes, destination: .stream) { response in
            var response = response
            // Fails within the chain, so that the log has the error.
            response.bytes = try response.receivedStream
            return response
        }.executeAsRequest(())
    }

    /// The request with an `Accept`, unless it or its client has one.
    private func accepting(_ types: String) -> ApiRequest {
        settings.headers["Accept"] == nil ? header("Accept", types) : self
    }
}

extension HttpResponse {
    /// Whether the body is a JSON text sequence (RFC 7464, RFC 8091).
    fileprivate var isJsonSequence: Bool {
        guard let type = headers["Content-Type"]?.lowercasedMediaType else { return false }
        return type == "application/json-seq" || type.hasSuffix("+json-seq")
    }

    /// The media type, if it isn't one of JSON.
    fileprivate var otherMediaType: String? {
        mediaType.flatMap { $0.lowercased().contains("json") ? nil : $0 }
    }

    fileprivate func pieces(_ silenceLimit: Duration?, _ clock: any ChainClock) throws -> PieceReader {
        PieceReader(
            try receivedStream, limit: SilenceLimit(silenceLimit, clock: clock, of: request))
    }
}

/// A source without values.
private struct NoValues<Element: Sendable>: ValueSource {
    func next() async -> Element? { nil }
}
