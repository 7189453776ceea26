#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Something that knows a URL: an application's list of endpoints, as a rule an enum.
///
/// ```swift
/// enum UserRoute: UrlRouteProvider {
///     case all
///     case user(Int)
///
///     func url() throws -> URL {
///         let base = URL(string: "https://api.example.com")
///         switch self {
///         case .all: return try base + "/users"
///         case .user(let id): return try base + "/users/\(id)"
///         }
///     }
/// }
/// ```
public protocol UrlRouteProvider: Sendable {
    /// The URL of this route. What it throws becomes the chain's error.
    func url() throws -> URL
}

extension URL: UrlRouteProvider {
    /// The URL itself: a route for one-off requests.
    public func url() throws -> URL {
        self
    }
}
