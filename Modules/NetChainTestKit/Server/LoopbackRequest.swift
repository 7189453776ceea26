import HttpMessages
import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request as the server received it.
///
/// The target, and the header names and values with their order, are as they were sent, so that a test can check them
/// exactly.
public struct LoopbackRequest: Sendable {
    /// The method.
    public let method: HttpMethod
    /// The target of the request line, unchanged: path and query, a whole URL (to a proxy), or an authority.
    public let target: String
    /// The version of the request line, `HTTP/1.1` for instance.
    package let version: String
    /// The header lines.
    public let headers: HttpHeaders
    /// The trailer fields of a chunked body.
    package internal(set) var trailers = HttpHeaders()
    /// The body, with its transfer coding removed. Empty if an upload rule discards it.
    public internal(set) var body: [UInt8] = []
    /// The number of body bytes that arrived, discarded ones included.
    public internal(set) var bodyLength = 0
    /// The hash of a discarded body by a `Hasher`, which differs from process to process; nil for one that was kept.
    package internal(set) var bodyChecksum: Int?
    /// Whether the whole body arrived.
    package internal(set) var isComplete = false
    /// The number of the connection: 1 for the first that the server accepted.
    public let connectionID: Int
    /// The number of earlier requests on the connection.
    package let indexOnConnection: Int
    /// The client's port; 0 on a Unix domain socket.
    package let remotePort: Int
    /// The decoded values of the route's `:name` parts, and under `*` the value of a wildcard.
    public internal(set) var parameters: [String: String] = [:]

    /// The target without query, as it was sent (not decoded); for a target that is a whole URL, the URL's path.
    public var path: String {
        var rest = target[...]
        if let scheme = rest.firstRange(of: "://"), !rest.hasPrefix("/") {
            rest = rest[scheme.upperBound...]
            rest = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
        }
        return String(rest.prefix { $0 != "?" })
    }

    /// What follows the `?` of the target, as it was sent, or `nil` without one.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// The items of the query, in order, decoded; `+` is read as a space, as web frameworks do. The value of an item
    /// without one is empty.
    public var queryItems: [URLQueryItem] {
        Self.formItems(of: query ?? "")
    }

    /// The decoded value of the first query item with this name; nil without one.
    public func query(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// The body as UTF-8 text; invalid bytes become replacement characters.
    public var text: String {
        String(decoding: body, as: UTF8.self)
    }

    /// Whether the client allows another request on this connection.
    var keepsAlive: Bool {
        if headers.contains(token: "close", in: "Connection") { return false }
        return version == "HTTP/1.1" || headers.contains(token: "keep-alive", in: "Connection")
    }
}

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
            return Self.formItems(of: text)
        }
    }

    /// The decoded items of a query or a form, in order; empty ones between two `&` are left out.
    private static func formItems(of text: String) -> [URLQueryItem] {
        text.split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            let value = item.dropFirst(name.count + 1)
            return URLQueryItem(
                name: name.percentDecoded(plusIsSpace: true), value: value.percentDecoded(plusIsSpace: true))
        }
    }
}

extension LoopbackRequest: CustomStringConvertible {
    /// The request line without the version, as in `GET /users/1`.
    public var description: String { "\(method) \(target)" }
}
