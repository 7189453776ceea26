import Logging
public import NodeCore

/// A request that knows its metadata and its parameters.
public struct RequestModel<Raw: Sendable>: Sendable {
    /// Headers, where the request becomes an HTTP request.
    public var metadata: [String: String]
    /// The parameters.
    public var raw: Raw

    /// Creates a model.
    public init(metadata: [String: String], raw: Raw) {
        self.metadata = metadata
        self.raw = raw
    }
}

/// A request that knows where it goes as well.
public struct RoutableRequestModel<Route: Sendable, Raw: Sendable>: Sendable {
    /// Headers, where the request becomes an HTTP request.
    public var metadata: [String: String]
    /// The parameters.
    public var raw: Raw
    /// Where the request goes.
    public var route: Route

    /// Creates a model.
    public init(metadata: [String: String], raw: Raw, route: Route) {
        self.metadata = metadata
        self.raw = raw
        self.route = route
    }
}

/// A request that also knows how its parameters are encoded.
public struct EncodableRequestModel<Route: Sendable, Raw: Sendable, Encoding: Sendable>: Sendable {
    /// Headers, where the request becomes an HTTP request.
    public var metadata: [String: String]
    /// The parameters.
    public var raw: Raw
    /// Where the request goes.
    public var route: Route
    /// How the parameters are encoded.
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
    /// The headers, secrets masked, and the type of the parameters.
    public var description: String {
        "\(Raw.self) with [\(HttpHeaders(metadata).inOneLine)]"
    }
}

extension RoutableRequestModel: MaskedValue {
    /// The route's type, the headers, secrets masked, and the type of the parameters.
    public var description: String {
        "\(Raw.self) to \(type(of: route as Any)) with [\(HttpHeaders(metadata).inOneLine)]"
    }
}

extension EncodableRequestModel: MaskedValue {
    /// The route's type, the headers, secrets masked, the type of the parameters and their encoding's.
    public var description: String {
        "\(Raw.self) as \(Encoding.self) to \(type(of: route as Any)) with [\(HttpHeaders(metadata).inOneLine)]"
    }
}
