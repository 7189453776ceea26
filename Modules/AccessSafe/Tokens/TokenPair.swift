public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An access token and the refresh token with which the next one is requested.
///
/// Descriptions, also those of `dump` and a debugger, don't show the tokens; encoding does write them, so that they can
/// be kept in a safe place.
public struct TokenPair: Equatable, Sendable, Codable {
    /// The token that a request is sent with.
    public var accessToken: String
    /// The token with which a new pair is requested; nil where the server issues none.
    public var refreshToken: String?
    /// When the access token expires, by this device's clock; nil when that is unknown.
    public var expiresAt: Date?

    /// Creates a pair.
    public init(accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
    }

    /// Creates a pair whose access token expires after `lifetime`, counted from now: the `expires_in` of an OAuth
    /// response, nil where there is none.
    public init(accessToken: String, refreshToken: String? = nil, expiresIn lifetime: Duration?) {
        self.init(
            accessToken: accessToken, refreshToken: refreshToken,
            expiresAt: lifetime.map { Date() + $0 / .seconds(1) })
    }
}

extension TokenPair: MaskedValue {
    /// Which parts exist, without the tokens themselves.
    public var description: String {
        "TokenPair(accessToken: ***\(refreshToken == nil ? "" : ", refreshToken: ***"))"
    }
}
