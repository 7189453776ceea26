import HttpMessages
import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LoopbackRequest {
    /// One part of a `multipart/form-data` body.
    public struct Part: Sendable {
        /// The part's header lines.
        public var headers: HttpHeaders
        /// The name of the form's field, as it was sent.
        public var name: String
        /// The file's name, as it was sent; nil if the part is not a file.
        public var filename: String?
        /// The part's bytes.
        public var body: [UInt8]

        /// The part's Content-Type; nil if it has none.
        public var contentType: String? { headers["Content-Type"] }
        /// The part's bytes as UTF-8 text.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// The parts of the body (RFC 7578), in order.
    ///
    /// Names and file names are as they were sent: `%22` is not decoded. A backslash before a quote is removed.
    /// - Throws: ``LoopbackError`` with `malformedBody` if the Content-Type has no boundary or the body is malformed. A
    ///   body must begin with the boundary, name every part and have the closing boundary.
    public var multipartParts: [Part] {
        get throws {
            let type = headers["Content-Type"] ?? ""
            guard String(type.prefix(19)).equalsIgnoringCase("multipart/form-data"),
                let boundary = HeaderParameters(type)["boundary"], !boundary.isEmpty
            else {
                throw LoopbackError(.malformedBody, "no form data with a boundary: Content-Type is \"\(type)\"")
            }
            return try MultipartParser(boundary: boundary).parts(of: body)
        }
    }

    /// The body as JSON.
    /// - Throws: `JsonError` if it is no JSON.
    public var json: Json {
        get throws { try Json(parsing: body) }
    }

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write try request.json.decode(User.self)")
    public func decode<Value>(_ type: Value.Type) throws -> Value {
        throw LoopbackError(.malformedBody, "an unavailable member was called")
    }

    /// The items of an `application/x-www-form-urlencoded` body, in order, decoded as in ``queryItems``.
    /// - Throws: ``LoopbackError`` with `malformedBody` if the Content-Type is a different one.
    public var formItems: [URLQueryItem] {
        get throws {
            let type = headers["Content-Type"] ?? ""
            guard String(type.prefix { $0 != ";" }.trimmed).equalsIgnoringCase("application/x-www-form-urlencoded")
            else {
                throw LoopbackError(.malformedBody, "not a URL-encoded form: Content-Type is \"\(type)\"")
            }
            return FormParser.items(of: text)
        }
    }
}
