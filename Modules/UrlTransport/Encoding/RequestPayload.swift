import HttpMessages
public import Models

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The content of a request, as the request-building nodes pass it downstream.
///
/// Large cases are indirect: each of these nodes keeps the value while the request waits.
public enum RequestPayload: Sendable {
    /// No body. An empty JSON object is a body.
    case none
    /// Parameters, which a ``ParametersEncoding`` puts into the body or the query.
    case json(Json)
    /// A form without files, `application/x-www-form-urlencoded`.
    indirect case form(URLQueryConfigModel)
    /// A form with files, `multipart/form-data`.
    indirect case multipart(MultipartModel<[String: Data]>)
    /// A body as it is: bytes, a file or a stream. The content type applies unless the headers have one.
    indirect case body(RequestBody, contentType: String = "application/octet-stream")
}

/// A raw form that a request can send: `Json`, a `MultipartModel`, a `RequestBody`, `Data` or `String`. The input of
/// a chain is any `DTOEncodable` model with such a raw form.
public protocol RequestConvertible: Sendable {
    /// The content to send.
    var payload: RequestPayload { get }
}

extension Json: RequestConvertible {
    /// The value as parameters.
    public var payload: RequestPayload { .json(self) }
}

extension MultipartModel: RequestConvertible where Payload == [String: Data] {
    /// The form.
    public var payload: RequestPayload { .multipart(self) }
}

extension RequestBody: RequestConvertible, EncodableRawForm {
    /// The body as it is.
    public var payload: RequestPayload { .body(self) }
}

extension Data: RequestConvertible, EncodableRawForm {
    /// The bytes as a body.
    public var payload: RequestPayload { .body(.data(self)) }
}

extension String: RequestConvertible, EncodableRawForm {
    /// The text as a body, `text/plain` in UTF-8.
    public var payload: RequestPayload { .body(.data(Data(utf8)), contentType: "text/plain; charset=utf-8") }
}
