public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An access token and what is needed to get the next one.
///
/// Descriptions, also those of `dump` and a debugger, don't show the tokens; encoding does write them, so that they can
/// be kept in a safe place.
public struct TokenPair: Hashable, Sendable, Codable {
    /// What a request is sent with.
    public var accessToken: String
    /// What a new pair is asked for with; nil where the server gives none.
    public var refreshToken: String?
    /// When the access token ends, by this device's clock; nil when that is not known.
    public var expiresAt: Date?

    /// Creates a pair.
    public init(accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
    }

    /// Creates a pair whose access token ends after `lifetime`, counted from now: the `expires_in` of an OAuth answer,
    /// nil where there is none.
    public init(accessToken: String, refreshToken: String? = nil, expiresIn lifetime: Duration?) {
        self.init(
            accessToken: accessToken, refreshToken: refreshToken,
            expiresAt: lifetime.map { Date() + $0 / .seconds(1) })
    }
}

extension TokenPair: MaskedValue {
    /// What is there, without the tokens themselves.
    public var description: String {
        "TokenPair(accessToken: ***\(refreshToken == nil ? "" : ", refreshToken: ***"))"
    }
}
