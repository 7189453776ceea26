public import HttpMessages
public import Models

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a chain treats the body of a response.
package enum BodyFormat: Sendable {
    /// The body is read as JSON.
    case json
    /// The body stays as received: in memory, in a file, or as a stream.
    case bytes
}

/// A raw form that a response can be converted to: `Json`, `Data`, `String`, and ``ApiResponse`` of these. Any
/// `DTODecodable` model whose DTO has such a raw form is the output of a chain. A chain parses the body for `Json` only.
public protocol ResponseConvertible: Sendable {
    /// Creates the value from a response whose status the chain accepts.
    ///
    /// - Throws: why the response has no such value.
    static func from(response: HttpResponse) throws -> Self
}

extension ResponseConvertible {
    /// How the chain treats the body.
    package static var bodyFormat: BodyFormat {
        self == Json.self || self == ApiResponse<Json>.self ? .json : .bytes
    }
}

extension Json: ResponseConvertible {
    /// The body as JSON; an empty body is an empty object.
    ///
    /// - Throws: ``ResponseParsingError``.
    public static func from(response: HttpResponse) throws -> Json {
        try response.json()
    }
}

extension Data: ResponseConvertible, DecodableRawForm {
    /// The body as received; empty for 204, 205 and a response to `HEAD`, which have no content.
    public static func from(response: HttpResponse) throws -> Data { response.content }
}

extension String: ResponseConvertible, DecodableRawForm {
    /// The body as UTF-8 text; invalid bytes become U+FFFD.
    public static func from(response: HttpResponse) throws -> String {
        String(decoding: response.content, as: UTF8.self)
    }
}

extension ApiResponse: ResponseConvertible where Value: ResponseConvertible {
    /// The value with the status and the headers.
    ///
    /// - Throws: why there is no value.
    public static func from(response: HttpResponse) throws -> ApiResponse {
        ApiResponse(value: try Value.from(response: response), of: response)
    }
}

extension ApiResponse: RawDecodable where Value: RawDecodable {
    /// The value's raw form with the status and the headers.
    public typealias Raw = ApiResponse<Value.Raw>

    /// The same response with the value converted from its raw form.
    public static func from(raw: ApiResponse<Value.Raw>) throws -> ApiResponse {
        try raw.map { try Value.from(raw: $0) }
    }
}

extension ApiResponse: DTODecodable where Value: DTODecodable {
    /// The value's DTO with the status and the headers.
    public typealias DTO = ApiResponse<Value.DTO>

    /// The same response with the model converted from its DTO.
    public static func from(dto: consuming ApiResponse<Value.DTO>) throws -> ApiResponse {
        try dto.map { try Value.from(dto: $0) }
    }
}

extension DTODecodable where DTO.Raw: ResponseConvertible {
    /// The model, converted from its raw form and its DTO.
    @Sendable package static func model(from response: HttpResponse) throws -> Self {
        let dto = try mapNamingProvenance(try DTO.Raw.from(response: response)) { try DTO.from(raw: $0) }
        return try from(dto: consume dto)
    }
}
