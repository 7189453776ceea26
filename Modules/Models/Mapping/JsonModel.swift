/// The only model layer of a request: an `Encodable` type that is its own lower layer.
public protocol JsonEncodableModel: Encodable, RawEncodable, DTOEncodable where Raw == Json, DTO == Self {}

/// The only model layer of a response: a `Decodable` type that is its own lower layer.
public protocol JsonDecodableModel: Decodable, RawDecodable, DTODecodable where Raw == Json, DTO == Self {}

/// The only model layer, in both directions. A conformance needs no further code:
///
/// ```swift
/// struct User: JsonModel {
///     let name: String
/// }
/// ```
public typealias JsonModel = JsonEncodableModel & JsonDecodableModel

extension Json: RawEncodable, RawDecodable, DTOEncodable, DTODecodable {
    /// A `Json` is its own lower layer.
    public typealias DTO = Json

    /// The value itself.
    public func toRaw() throws -> Json { self }

    /// The value itself.
    public static func from(raw: Json) throws -> Json { raw }
}
