package import Models

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decodes and encodes bodies that are not JSON: any pair of an encoder and a decoder of `Codable` values.
///
/// ```swift
/// struct PropertyListCoder: BodyCoder {
///     let mediaType = "application/x-plist"
///     func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
///         try PropertyListDecoder().decode(type, from: body)
///     }
///     func encode(_ value: some Encodable) throws -> Data { try PropertyListEncoder().encode(value) }
/// }
/// ```
///
/// The functions are called on any thread, concurrently.
public protocol BodyCoder: Sendable {
    /// The media type of the bodies (RFC 9110 §8.3.1), such as `application/xml`: the `Content-Type` of a request with
    /// a body, and the `Accept` of each request. It also stands for types with its subtype as their suffix (RFC 6838
    /// §4.2.8), such as `application/atom+xml`.
    var mediaType: String { get }

    /// Decodes a value from the body of a response, which is not empty.
    ///
    /// - Throws: why the body is no such value. An error other than a `DecodingError` becomes the underlying error of one.
    func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value

    /// Encodes a value as the body of a request.
    ///
    /// - Throws: why the value has no such form; the error of the request.
    func encode(_ value: some Encodable) throws -> Data
}

extension BodyCoder {
    /// Whether bodies with this media type, in lower case and without parameters, are of the coder's format.
    fileprivate func reads(_ type: String) -> Bool {
        let own = mediaType.lowercasedMediaType
        guard let slash = own.firstIndex(of: "/") else { return false }
        return type == own || type.hasSuffix("+" + own[slash...].dropFirst())
    }
}

/// The decoders of a client's responses.
package struct ResponseCoders: Sendable {
    /// Decodes JSON.
    package var json: JsonDecoder
    /// The coders of other formats; empty for JSON alone.
    package var others: [any BodyCoder]

    /// Creates decoders.
    package init(json: JsonDecoder = .default, others: [any BodyCoder] = []) {
        self.json = json
        self.others = others
    }

    /// The coder for bodies with this `Content-Type`: the one for its media type. Otherwise nil for JSON, and the first
    /// coder for any other type or none.
    package func coder(for contentType: String?) -> (any BodyCoder)? {
        guard let first = others.first else { return nil }
        let type = contentType?.lowercasedMediaType ?? ""
        if let coder = others.first(where: { $0.reads(type) }) { return coder }
        return type.hasSuffix("/json") || type.hasSuffix("+json") ? nil : first
    }
}
