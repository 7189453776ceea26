#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type that provides a URL, such as an enum of an application's endpoints.
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
    /// Returns the URL of this route. An error that it throws fails the request.
    func url() throws -> URL
}

extension URL: UrlRouteProvider {
    /// Returns the URL itself, as a route for single requests.
    public func url() throws -> URL {
        self
    }
}
