import NodeCore
import UrlTransport

/// The description of the request, for ``UrlChainsBuilder/requestBuildingChain(with:)``.
public struct UrlChainConfigModel: Sendable {
    /// The method.
    public let method: HttpMethod
    /// The route of the request.
    public let route: any UrlRouteProvider
    /// The headers, by name. Those that occur several times are one value, a list.
    public var metadata: [String: String] { headers.byName }
    /// The headers, each of them.
    let headers: HttpHeaders
    /// How the parameters are encoded.
    public let encoding: ParametersEncoding
    /// The query that is added to the route's URL.
    public let query: URLQueryConfigModel

    package init(
        method: HttpMethod, route: any UrlRouteProvider, headers: HttpHeaders = [:],
        encoding: ParametersEncoding = .json, query: URLQueryConfigModel = URLQueryConfigModel()
    ) {
        self.method = method
        self.route = route
        self.headers = headers
        self.encoding = encoding
        self.query = query
    }
}

extension UrlChainConfigModel: MaskedValue {
    /// The method, the route's type, the encoding, the query's names, and the headers with masked secrets.
    public var description: String {
        "\(method) \(type(of: route)) as \(encoding), \(query), with [\(headers.inOneLine)]"
    }
}
