/// A model of the lower layer (a DTO) that can be turned into what the transport sends.
///
/// An `Encodable` type whose `Raw` is ``Json`` gets ``toRaw()`` for free:
///
/// ```swift
/// struct PhotoEntry: Codable { let id: String }
/// extension PhotoEntry: RawMappable { typealias Raw = Json }
/// ```
public protocol RawEncodable: Sendable {
    /// What the transport takes: ``Json``, or ``MultipartModel`` for forms.
    associatedtype Raw: Sendable

    /// The raw form of this value.
    ///
    /// - Throws: why it has none; for `Encodable` types what the encoder throws.
    func toRaw() throws -> Raw

    /// The encoder that the free ``toRaw()`` of an `Encodable` type uses; ``JsonEncoder/default`` unless the type
    /// says otherwise. A type that wants another encoder altogether, Foundation's for example, writes its own
    /// ``toRaw()`` and returns `Json(parsing:)` of the encoded bytes.
    static var jsonEncoder: JsonEncoder { get }
}

/// A model of the lower layer (an entry) that can be made from what the transport received.
///
/// A `Decodable` type whose `Raw` is ``Json`` gets ``from(raw:)`` for free.
public protocol RawDecodable: Sendable {
    /// What the transport gives: ``Json`` as a rule.
    associatedtype Raw: Sendable

    /// A value made from its raw form.
    ///
    /// - Throws: why it cannot be made; for `Decodable` types what the decoder throws, coding path included.
    static func from(raw: Raw) throws -> Self

    /// The decoder that the free ``from(raw:)`` of a `Decodable` type uses; ``JsonDecoder/default`` unless the type
    /// says otherwise. A type that wants another decoder altogether, Foundation's for example, writes its own
    /// ``from(raw:)`` and reads `raw.data`.
    static var jsonDecoder: JsonDecoder { get }
}

/// A model of the lower layer that goes both ways.
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
    /// The JSON that ``jsonEncoder`` writes; its bytes are kept as they are.
    public func toRaw() throws -> Json { try Json(encoding: self, encoder: Self.jsonEncoder) }
}

extension RawDecodable where Self: Decodable, Raw == Json {
    /// What ``jsonDecoder`` reads.
    public static func from(raw: Json) throws -> Self { try raw.decode(Self.self, using: jsonDecoder) }
}
