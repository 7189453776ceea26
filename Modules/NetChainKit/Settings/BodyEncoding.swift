import Models
import UrlTransport

/// How a request's `Encodable` values are encoded.
struct BodyEncoding: Sendable {
    let json: JsonEncoder
    /// The coder of another format; nil for JSON.
    let other: (any BodyCoder)?

    /// The payload of any `Encodable` value. A value that is also a `DTOEncodable` model is converted as one, even if
    /// the compiler doesn't know that.
    func payload(of input: some Encodable) throws -> RequestPayload {
        if let model = input as? any DTOEncodable, let raw = try model.raw as? any RequestConvertible {
            return raw.payload
        }
        if let other { return .body(.data(try other.encode(input)), contentType: other.mediaType) }
        return .json(try Json(encoding: input, encoder: json))
    }
}

extension DTOEncodable {
    fileprivate var raw: any Sendable {
        get throws { try toDTO().toRaw() }
    }
}
