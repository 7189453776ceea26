package import Models

/// Decodes the values of a stream from JSON texts, and says in each error where the value is.
package struct RowDecoder<Row: Sendable>: Sendable {
    private let read: @Sendable (UnsafeRawBufferPointer) throws -> Row
    /// The method and URL of the request, with secrets masked; nil where they aren't known.
    private let request: String?
    /// The media type of the body, if it isn't one of JSON: an HTML page explains why there is none.
    private var mediaType: String?

    /// Decodes any `Decodable` type. A type that is also a model with two layers is read as one, even if the compiler
    /// doesn't know that.
    package init(decoding type: Row.Type, by decoder: JsonDecoder, of request: String?) where Row: Decodable {
        self.request = request
        if let model = type as? any DTODecodable.Type, let convert = model.conversion(to: type) {
            read = { try convert(decoder.parse($0)) }
        } else {
            read = { try decoder.decode(type, from: decoder.parse($0)) }
        }
    }

    /// Decodes a model with two layers, whose DTO has its own decoder.
    package init(mapping type: Row.Type, of request: String?) where Row: DTODecodable, Row.DTO.Raw == Json {
        self.request = request
        read = { try type.from(dto: Row.DTO.from(raw: JsonDecoder.default.parse($0))) }
    }

    /// The same decoder, whose errors name the media type of the body.
    package func naming(_ mediaType: String?) -> RowDecoder {
        var decoder = self
        decoder.mediaType = mediaType
        return decoder
    }

    /// Decodes a value.
    func decode(_ text: UnsafeRawBufferPointer) throws -> Row {
        try read(text)
    }

    /// The error with what it is about, such as `line 17`, and with the request.
    func naming(_ error: any Error, _ place: @autoclosure () -> String) -> any Error {
        switch error {
        case let error as DecodingError:
            error.followed(
                by: "In \(place())\(request.map { " of the response to \($0)" } ?? "")"
                    + (mediaType.map { ", which is \($0)" } ?? ""))
        case let error as ValueStreamError: request.map { error.of($0) } ?? error
        default: error
        }
    }
}

extension DTODecodable {
    /// The conversion of JSON to this type as `Value`, which is the same type; nil if the raw form is not JSON.
    fileprivate static func conversion<Value>(to type: Value.Type) -> (@Sendable (Json) throws -> Value)? {
        guard DTO.Raw.self == Json.self, Self.self == Value.self else { return nil }
        return { json in
            guard let raw = json as? DTO.Raw, let value = try Self.from(dto: .from(raw: raw)) as? Value else {
                preconditionFailure("The types were compared.")
            }
            return value
        }
    }
}
