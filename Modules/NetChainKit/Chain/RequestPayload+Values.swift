import Models
import UrlTransport

/// The payload of a model with two layers.
@Sendable func payload<Input: DTOEncodable>(of input: Input) throws -> RequestPayload
where Input.DTO.Raw: RequestConvertible {
    try input.toDTO().toRaw().payload
}

/// The payload of any `Encodable` value. A value that is also a `DTOEncodable` model is converted as one, even if the
/// compiler doesn't know that.
func payload<Input: Encodable>(ofEncodable input: Input, by encoder: JsonEncoder) throws -> RequestPayload {
    if let model = input as? any DTOEncodable, let raw = try model.raw as? any RequestConvertible { return raw.payload }
    return .json(try Json(encoding: input, encoder: encoder))
}

extension DTOEncodable {
    fileprivate var raw: any Sendable {
        get throws { try toDTO().toRaw() }
    }
}
