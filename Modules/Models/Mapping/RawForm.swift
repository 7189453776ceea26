/// A raw form that can be sent, which is its own model of both layers.
package protocol EncodableRawForm: RawEncodable, DTOEncodable where Raw == Self, DTO == Self {}

extension EncodableRawForm {
    /// The value itself.
    public func toRaw() throws -> Self { self }
}

/// A raw form that can be received, which is its own model of both layers.
package protocol DecodableRawForm: RawDecodable, DTODecodable where Raw == Self, DTO == Self {}

extension DecodableRawForm {
    /// The value itself.
    public static func from(raw: Self) throws -> Self { raw }
}
