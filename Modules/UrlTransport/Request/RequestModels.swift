import HttpMessages
public import NodeCore

/// A request with its metadata and its parameters.
public struct RequestModel<Raw: Sendable>: Sendable {
    /// The headers of an HTTP request, by name. Those that occur several times are one value, a list.
    public var metadata: [String: String] {
        get { headers.byName }
        set { headers.byName = newValue }
    }
    /// The headers, each of them.
    package var headers: HttpHeaders
    /// The parameters.
    public var raw: Raw

    /// Creates a model.
    public init(metadata: [String: String], raw: Raw) {
        self.init(headers: HttpHeaders(metadata), raw: raw)
    }

    /// Creates a model with headers that may occur several times.
    package init(headers: HttpHeaders, raw: Raw) {
        self.headers = headers
        self.raw = raw
    }
}

/// A request with its route as well.
public struct RoutableRequestModel<Route: Sendable, Raw: Sendable>: Sendable {
    /// The headers of an HTTP request, by name. Those that occur several times are one value, a list.
    public var metadata: [String: String] {
        get { headers.byName }
        set { headers.byName = newValue }
    }
    /// The headers, each of them.
    package var headers: HttpHeaders
    /// The parameters.
    public var raw: Raw
    /// The destination of the request.
    public var route: Route
}

extension RoutableRequestModel {
    /// Creates a model.
    public init(metadata: [String: String], raw: Raw, route: Route) {
        self.init(headers: HttpHeaders(metadata), raw: raw, route: route)
    }
}

/// A request with the encoding of its parameters as well.
public struct EncodableRequestModel<Route: Sendable, Raw: Sendable, Encoding: Sendable>: Sendable {
    /// The headers of an HTTP request, by name. Those that occur several times are one value, a list.
    public var metadata: [String: String] {
        get { headers.byName }
        set { headers.byName = newValue }
    }
    /// The headers, each of them.
    package var headers: HttpHeaders
    /// The parameters.
    public var raw: Raw
    /// The destination of the request.
    public var route: Route
    /// The encoding of the parameters.
    public var encoding: Encoding
}

extension EncodableRequestModel {
    /// Creates a model.
    public init(metadata: [String: String], raw: Raw, route: Route, encoding: Encoding) {
        self.init(headers: HttpHeaders(metadata), raw: raw, route: route, encoding: encoding)
    }
}

extension RequestModel: MaskedValue {
    /// The headers, with secrets masked, and the type of the parameters.
    public var description: String {
        "\(Raw.self) with [\(headers.inOneLine)]"
    }
}

extension RoutableRequestModel: MaskedValue {
    /// The route's type, the headers, with secrets masked, and the type of the parameters.
    public var description: String {
        "\(Raw.self) to \(type(of: route as Any)) with [\(headers.inOneLine)]"
    }
}

extension EncodableRequestModel: MaskedValue {
    /// The route's type, the headers, with secrets masked, and the types of the parameters and of their encoding.
    public var description: String {
        "\(Raw.self) as \(Encoding.self) to \(type(of: route as Any)) with [\(headers.inOneLine)]"
    }
}
