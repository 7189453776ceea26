#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decodes `Decodable` types from JSON in one pass over the bytes and one over the resulting tape.
///
/// Strategies, defaults, errors and coding paths are those of Foundation's `JSONDecoder`; `Docs/Models.md` lists the
/// differences. A decoder is a value: changing a copy leaves the original unchanged. Any number of threads can use one
/// decoder at once.
///
/// ```swift
/// var decoder = JsonDecoder()
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// let user = try decoder.decode(User.self, from: data)
/// ```
public struct JsonDecoder: Sendable {
    /// A decoder with default settings.
    public static let `default` = JsonDecoder()

    /// The changed settings; nil for the standard ones, so that threads don't contend for one object's reference count.
    var changed: Settings?

    var settings: Settings { changed ?? .standard }

    /// A decoder with default settings.
    public init() {}

    /// Decodes a value from JSON text in UTF-8.
    ///
    /// - Throws: `DecodingError`. If the text is not valid JSON or exceeds the limits, it is `dataCorrupted` with a
    ///   ``JsonError`` as underlying error. Errors of the type's own `init(from:)` are rethrown unchanged.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try decode(type, from: try data.withUnsafeBytes { try parse($0) })
    }

    /// Decodes a value from a `Json`. A parsed one is not parsed again; a built one is written and parsed.
    ///
    /// - Throws: `DecodingError`. Errors of the type's own `init(from:)` are rethrown unchanged.
    public func decode<Value: Decodable>(_ type: Value.Type, from json: Json) throws -> Value {
        guard let (document, node) = json.view else { return try decode(type, from: json.serialized()) }
        return try decode(document, at: node) { try $0.decode(type) }
    }

    /// Decodes a value from a JSON text.
    ///
    /// - Throws: `DecodingError`, as for data. Errors of the type's own `init(from:)` are rethrown unchanged.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try decode(type, from: Data(text.utf8))
    }

    /// Decodes a value of a document by the body, which gets a decoder of the value.
    @inline(__always)
    func decode<Value>(
        _ document: JsonDocument, at node: Int, _ body: (JsonValueDecoder) throws -> Value
    ) rethrows -> Value {
        var root = JsonSpareDecoder.take() ?? JsonValueDecoder(document)
        root.start(document, at: node, changed)
        defer { JsonSpareDecoder.giveBack(&root) }
        return try body(root)
    }

    /// Parses a copy of JSON text in UTF-8.
    ///
    /// - Throws: `DecodingError`, with a ``JsonError`` as underlying error.
    package func parse(_ text: UnsafeRawBufferPointer) throws -> Json {
        do {
            return try Json(parsing: text, limits: settings.limits)
        } catch {
            let context = DecodingError.Context(
                codingPath: [], debugDescription: "The given data was not valid JSON.", underlyingError: error)
            throw DecodingError.dataCorrupted(context)
        }
    }
}
