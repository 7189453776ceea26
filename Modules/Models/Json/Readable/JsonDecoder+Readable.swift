#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JsonDecoder {
    /// Decodes a value that reads itself from JSON text in UTF-8.
    ///
    /// - Throws: `DecodingError`. If the text is not valid JSON or exceeds the limits, it is `dataCorrupted` with a
    ///   ``JsonError`` as underlying error. Errors of the type's own initializer are rethrown unchanged.
    @_disfavoredOverload
    public func decode<Value: JsonReadable>(_ type: Value.Type, from data: Data) throws -> Value {
        try decode(type, from: try data.withUnsafeBytes { try parse($0) })
    }

    /// Decodes a value that reads itself from a JSON text.
    ///
    /// - Throws: `DecodingError`, as for data. Errors of the type's own initializer are rethrown unchanged.
    @_disfavoredOverload
    public func decode<Value: JsonReadable>(_ type: Value.Type, from text: String) throws -> Value {
        try decode(type, from: Data(text.utf8))
    }

    /// Decodes a value that reads itself from a `Json`. A parsed one is not parsed again; a built one is written and
    /// parsed.
    ///
    /// - Throws: `DecodingError`. Errors of the type's own initializer are rethrown unchanged.
    @_disfavoredOverload
    public func decode<Value: JsonReadable>(_ type: Value.Type, from json: Json) throws -> Value {
        guard let (document, node) = json.view else { return try decode(type, from: json.serialized()) }
        return try decode(document, at: node) { try $0.read(type) }
    }
}

extension Json {
    /// Decodes a type that reads itself from this value. A parsed value is not parsed again.
    ///
    /// - Throws: what the decoder throws, usually `DecodingError`.
    @_disfavoredOverload
    public func decode<Value: JsonReadable>(
        _ type: Value.Type = Value.self, using decoder: JsonDecoder = .default
    ) throws -> Value {
        try decoder.decode(type, from: self)
    }
}
