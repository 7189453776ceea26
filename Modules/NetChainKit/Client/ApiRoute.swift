import Logging
import Models
public import NodeCore
public import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The route of an ``ApiClient``'s request: a path below the client's base URL, or a whole URL.
public struct ApiRoute: UrlRouteProvider {
    private enum Target: Sendable {
        case path(String, base: URL?)
        case url(Result<URL, any Error>)
    }

    private var target: Target

    /// Creates a route from a path or a whole `http` or `https` URL, such as a link in a response. A path may contain a
    /// query.
    init(_ path: String, below base: URL?) {
        if UrlText.isWeb(path) {
            target = .url(
                Result {
                    guard let url = URL(parsing: path) else {
                        throw RequestBuildingError(.invalidUrl, "The text of the route is no URL.")
                    }
                    return url
                })
        } else {
            target = .path(path, base: base)
        }
    }

    /// Creates a route from the current URL of another route, because the choice of credentials depends on it.
    init(_ route: any UrlRouteProvider) {
        target = .url(Result { try route.url().normalized })
    }

    /// The same route without a query value.
    func removing(_ name: String) -> ApiRoute {
        var route = self
        switch target {
        case .path(let path, let base):
            route.target = .path(Self.text(path, without: name), base: base)
        case .url(let url):
            guard let whole = try? url.get().absoluteString else { return self }
            let rest = Self.text(whole, without: name)
            if rest != whole, let url = URL(parsing: rest) { route.target = .url(.success(url)) }
        }
        return route
    }

    private static func text(_ text: String, without name: String) -> String {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
        let end = text[mark...].utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        let pairs = text[text.utf8.index(after: mark)..<end].split(separator: "&", omittingEmptySubsequences: false)
        let others = pairs.filter { pair in
            let key = Array(pair.utf8.prefix { $0 != UInt8(ascii: "=") })[...]
            return String(decoding: Percent.decoded(key, plusIsSpace: true), as: UTF8.self) != name
        }
        if others.count == pairs.count { return text }
        let query = others.isEmpty ? "" : "?" + others.joined(separator: "&")
        return String(text[..<mark]) + query + String(text[end...])
    }

    /// The URL of the request.
    ///
    /// - Throws: `RequestBuildingError` if the URL is invalid; the errors of the route.
    public func url() throws -> URL {
        switch target {
        case .path(let path, let base): try base + path
        case .url(let url): try url.get()
        }
    }

    /// The URL as text, with secrets masked; the path if it can't be appended to the base URL.
    func masked(by redaction: Redaction) -> String {
        switch target {
        case .path(let path, let base): redaction.url((try? base + path)?.absoluteString ?? path)
        case .url(let url): (try? url.get()).map { redaction.url($0.absoluteString) } ?? "an invalid URL"
        }
    }

    /// Whether requests go to the origin of `base`, so that they may contain the client's credentials.
    func isAtOrigin(of base: URL?) -> Bool {
        if case .path = target { return true }
        guard let base, let url = try? url() else { return false }
        return Origin(url) == Origin(base)
    }
}

extension ApiRoute: MaskedValue {
    /// The URL, with secrets masked.
    public var description: String { masked(by: .standard) }
}
