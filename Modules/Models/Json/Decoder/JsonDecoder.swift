#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes `Decodable` types from JSON in one pass over the bytes and one over the resulting tape.
///
/// Strategies, defaults, errors and coding paths are those of Foundation's `JSONDecoder`; `Docs/Models.md` lists the
/// differences. A value, so a copy can be changed freely; one decoder serves any number of threads at once.
///
/// ```swift
/// var decoder = JsonDecoder()
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// let user = try decoder.decode(User.self, from: data)
/// ```
public struct JsonDecoder: Sendable {
    /// A decoder with default settings.
    public static let `default` = JsonDecoder()

    /// nil for the standard settings, so that threads do not count references to one shared object.
    var changed: Settings?

    var settings: Settings { changed ?? .standard }

    /// A decoder with default settings.
    public init() {}

    /// Decodes a value from JSON text in UTF-8.
    ///
    /// - Throws: `DecodingError`; its `dataCorrupted` has a ``JsonError`` as underlying error where the text is no
    ///   JSON or exceeds the limits. What the type's own `init(from:)` throws passes unchanged.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try decode(type, from: try parse(data))
    }

    /// Decodes a value from JSON that is parsed already.
    ///
    /// - Throws: `DecodingError`. What the type's own `init(from:)` throws passes unchanged.
    public func decode<Value: Decodable>(_ type: Value.Type, from json: Json) throws -> Value {
        guard let (document, node) = json.view else { return try decode(type, from: json.serialized()) }
        var root = JsonSpareDecoder.take() ?? JsonValueDecoder(document)
        root.start(document, at: node, changed)
        defer { JsonSpareDecoder.giveBack(&root) }
        return try root.decode(type)
    }

    private func parse(_ data: Data) throws -> Json {
        do {
            return try Json(parsing: data, limits: limits)
        } catch {
            let context = DecodingError.Context(
                codingPath: [], debugDescription: "The given data was not valid JSON.", underlyingError: error)
            throw DecodingError.dataCorrupted(context)
        }
    }
}
