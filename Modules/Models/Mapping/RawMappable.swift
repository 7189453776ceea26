/// A model of the lower layer (a DTO) that can be converted to what the transport sends.
///
/// An `Encodable` type whose `Raw` is ``Json`` has a default ``toRaw()``:
///
/// ```swift
/// struct PhotoEntry: Codable { let id: String }
/// extension PhotoEntry: RawMappable { typealias Raw = Json }
/// ```
public protocol RawEncodable: Sendable {
    /// What the transport takes: ``Json``, or ``MultipartModel`` for forms.
    associatedtype Raw: Sendable

    /// Converts this value to its raw form.
    ///
    /// - Throws: an error if the value can't be converted; for `Encodable` types, the encoder's error.
    func toRaw() throws -> Raw

    /// The encoder of an `Encodable` type's default ``toRaw()``; ``JsonEncoder/default`` unless the type declares
    /// another.
    ///
    /// To use an encoder of another kind, such as Foundation's, a type implements ``toRaw()`` and returns
    /// `Json(parsing:)` of the encoded bytes.
    static var jsonEncoder: JsonEncoder { get }
}

/// A model of the lower layer (a DTO) that can be created from what the transport received.
///
/// A `Decodable` type whose `Raw` is ``Json`` has a default ``from(raw:)``.
public protocol RawDecodable: Sendable {
    /// What the transport returns, usually ``Json``.
    associatedtype Raw: Sendable

    /// Creates a value from its raw form.
    ///
    /// - Throws: an error if the value can't be created; for `Decodable` types, the decoder's error with its coding
    ///   path.
    static func from(raw: Raw) throws -> Self

    /// The decoder of a `Decodable` type's default ``from(raw:)``; ``JsonDecoder/default`` unless the type declares
    /// another.
    ///
    /// To use a decoder of another kind, such as Foundation's, a type implements ``from(raw:)`` and reads `raw.data`.
    static var jsonDecoder: JsonDecoder { get }
}

/// A model of the lower layer that converts in both directions.
public typealias RawMappable = RawEncodable & RawDecodable

extension RawEncodable {
    /// ``JsonEncoder/default``.
    public static var jsonEncoder: JsonEncoder { .default }
}

extension RawDecodable {
    /// ``JsonDecoder/default``.
    public static var jsonDecoder: JsonDecoder { .default }
}

extension RawEncodable where Self: Encodable, Raw == Json {
    /// Encodes the value with ``jsonEncoder``. The bytes are kept unchanged.
    public func toRaw() throws -> Json { try Json(encoding: self, encoder: Self.jsonEncoder) }
}

extension RawDecodable where Self: Decodable, Raw == Json {
    /// Decodes the value with ``jsonDecoder``.
    public static func from(raw: Json) throws -> Self { try raw.decodeByDefault(Self.self, jsonDecoder) }
}
