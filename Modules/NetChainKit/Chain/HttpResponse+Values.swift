import Models
import ResponseProcessing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Extends a function that returns a value to one that also returns the status and the headers.
func responding<Value>(
    _ value: @escaping @Sendable (HttpResponse) throws -> Value
) -> @Sendable (HttpResponse) throws -> ApiResponse<Value> {
    { response in ApiResponse(value: try value(response), of: response) }
}

extension DTODecodable {
    /// How the body of a response is processed for this type; nil if its raw form is not `ResponseConvertible`.
    static var rawBodyFormat: BodyFormat? {
        (DTO.Raw.self as? any ResponseConvertible.Type)?.bodyFormat
    }

    /// The model, created from its raw form and its DTO; nil if its raw form is not `ResponseConvertible`.
    fileprivate static func modelIfConvertible(_ response: HttpResponse) throws -> Self? {
        guard let type = DTO.Raw.self as? any ResponseConvertible.Type,
            let raw = try type.from(response: response) as? DTO.Raw
        else { return nil }
        let dto = try mapNamingProvenance(raw) { try DTO.from(raw: $0) }
        return try from(dto: consume dto)
    }
}

extension Decodable {
    /// How the body of a response is processed for this type.
    static func bodyFormat(_ coders: ResponseCoders) -> BodyFormat {
        (Self.self as? any DTODecodable.Type)?.rawBodyFormat ?? (coders.others.isEmpty ? .json : .bytes)
    }

    /// Decodes the body of a response. A type that is also a `DTODecodable` model is read as one, even if the compiler
    /// doesn't know that.
    static func decoded(from response: HttpResponse, by coders: ResponseCoders) throws -> Self {
        if let model = Self.self as? any DTODecodable.Type, let value = try model.modelIfConvertible(response) as? Self
        {
            return value
        }
        // A chain for JSON accepts no 304 for such a type.
        if response.status == 304, !tellsNotModified(Self.self) { throw HttpError(response) }
        if let coder = coders.coder(for: response.headers["Content-Type"]) {
            if response.content.isEmpty, let empty = (Self.self as? any EmptyBodyDecodable.Type)?.init() as? Self {
                return empty
            }
            return try response.decoded(as: Self.self, by: coder)
        }
        let json = try Json.from(response: response)
        if let type = Self.self as? any EmptyBodyDecodable.Type, type.isEmpty(json, body: response.content),
            let empty = type.init() as? Self
        {
            return empty
        }
        return try mapNamingProvenance(json) { try $0.decode(Self.self, using: coders.json) }
    }
}

/// A collection or an optional. An empty body decodes to its empty value.
private protocol EmptyBodyDecodable {
    init()
    /// Whether the JSON, or a body without JSON, stands for the empty value.
    static func isEmpty(_ json: Json, body: Data) -> Bool
}

extension EmptyBodyDecodable {
    static func isEmpty(_ json: Json, body: Data) -> Bool { json.isNothing }
}

extension Array: EmptyBodyDecodable {}
extension Dictionary: EmptyBodyDecodable {}
extension Set: EmptyBodyDecodable {}

extension Optional: EmptyBodyDecodable {
    init() { self = nil }

    static func isEmpty(_ json: Json, body: Data) -> Bool { json.isNull || body.isEmpty }
}

// MARK: - Not modified

/// A type that states whether it can represent a response with status 304, which has no body.
private protocol NotModifiedTelling {
    static var tellsNotModified: Bool { get }
}

extension Optional: NotModifiedTelling {
    static var tellsNotModified: Bool { true }
}

extension ApiResponse: NotModifiedTelling {
    static var tellsNotModified: Bool { (Value.self as? any NotModifiedTelling.Type)?.tellsNotModified ?? false }
}

/// Whether an output of this type can represent status 304: an optional can, as nil.
func tellsNotModified<Output>(_ type: Output.Type) -> Bool {
    (type as? any NotModifiedTelling.Type)?.tellsNotModified ?? false
}

// MARK: - Files and streams

extension HttpResponse {
    /// The file that the body was written to.
    ///
    /// - Throws: `HttpError` if the status is accepted but not 2xx, `ResponseBodyError` if a 2xx response has no file.
    var receivedFile: URL {
        get throws { try file ?? failWithoutBody("file") }
    }

    /// The body as a stream. It fails with the errors of a chain: a stall is ``TechnicalError/timeout(_:)``, as before
    /// the head.
    ///
    /// - Throws: `HttpError` if the status is accepted but not 2xx, `ResponseBodyError` if a 2xx response has no
    ///   stream.
    var receivedStream: ByteStream {
        get throws {
            guard let bytes else { return try failWithoutBody("stream") }
            return bytes.mapError { TechnicalError.mapping($0) }
        }
    }

    private func failWithoutBody<Value>(_ kind: String) throws -> Value {
        throw (200...299).contains(status)
            ? ResponseBodyError.missing(kind, method: request.method, status: status) : HttpError(self)
    }
}
