public import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where a request of an ``ApiClient`` goes: a path below the client's base URL, or a route with a URL of its own.
public struct ApiRoute: UrlRouteProvider {
    private enum Place: Sendable {
        case path(String, base: URL?)
        case url(Result<URL, any Error>)
    }

    private let place: Place

    /// A path, which may bring a query; or a whole URL with `http` or `https`, such as a link from a response.
    init(_ path: String, below base: URL?) {
        if path.hasPrefix("https://") || path.hasPrefix("http://") {
            place = .url(
                Result {
                    guard let url = URL(string: path) else {
                        throw RequestBuildingError(.invalidUrl, "The text of the route is no URL.")
                    }
                    return url
                })
        } else {
            place = .path(path, base: base)
        }
    }

    /// The URL that a route gives now: credentials are chosen by it.
    init(_ route: any UrlRouteProvider) {
        place = .url(Result { try route.url() })
    }

    /// The URL.
    ///
    /// - Throws: `RequestBuildingError` where there is none; what the route throws.
    public func url() throws -> URL {
        switch place {
        case .path(let path, let base): try base + path
        case .url(let url): try url.get()
        }
    }

    /// Whether requests go to the origin of `base`, so that they may show what the client shows.
    func isAtOrigin(of base: URL?) -> Bool {
        if case .path = place { return true }
        guard let base, let url = try? url() else { return false }
        return Origin(url) == Origin(base)
    }
}
