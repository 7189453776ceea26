import Logging
public import NodeCore

/// A request with its metadata and its parameters.
public struct RequestModel<Raw: Sendable>: Sendable {
    /// The headers of an HTTP request.
    public var metadata: [String: String]
    /// The parameters.
    public var raw: Raw

    /// Creates a model.
    public init(metadata: [String: String], raw: Raw) {
        self.metadata = metadata
        self.raw = raw
    }
}

/// A request with its route as well.
public struct RoutableRequestModel<Route: Sendable, Raw: Sendable>: Sendable {
    /// The headers of an HTTP request.
    public var metadata: [String: String]
    /// The parameters.
    public var raw: Raw
    /// The destination of the request.
    public var route: Route

    /// Creates a model.
    public init(metadata: [String: String], raw: Raw, route: Route) {
        self.metadata = metadata
        self.raw = raw
        self.route = route
    }
}

/// A request with the encoding of its parameters as well.
public struct EncodableRequestModel<Route: Sendable, Raw: Sendable, Encoding: Sendable>: Sendable {
    /// The headers of an HTTP request.
    public var metadata: [String: String]
    /// The parameters.
    public var raw: Raw
    /// The destination of the request.
    public var route: Route
    /// The encoding of the parameters.
    public var encoding: Encoding

    /// Creates a model.
    public init(metadata: [String: String], raw: Raw, route: Route, encoding: Encoding) {
        self.metadata = metadata
        self.raw = raw
        self.route = route
        self.encoding = encoding
    }
}

extension RequestModel: MaskedValue {
    /// The headers, with secrets masked, and the type of the parameters.
    public var description: String {
        "\(Raw.self) with [\(HttpHeaders(metadata).inOneLine)]"
    }
}

extension RoutableRequestModel: MaskedValue {
    /// The route's type, the headers, with secrets masked, and the type of the parameters.
    public var description: String {
        "\(Raw.self) to \(type(of: route as Any)) with [\(HttpHeaders(metadata).inOneLine)]"
    }
}

extension EncodableRequestModel: MaskedValue {
    /// The route's type, the headers, with secrets masked, and the types of the parameters and of their encoding.
    public var description: String {
        "\(Raw.self) as \(Encoding.self) to \(type(of: route as Any)) with [\(HttpHeaders(metadata).inOneLine)]"
    }
}
