public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The credentials with which a client answers a challenge: see ``ClientAuth/challenge(limits:_:)``.
///
/// An immutable value. Its description doesn't show them.
public struct AuthCredentials: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case header(String)
        case digest(user: String, password: String)
    }

    let kind: Kind

    /// An access token as `Authorization: Bearer …` (RFC 6750).
    public static func bearer(_ token: String) -> AuthCredentials { header("Bearer \(token)") }

    /// A name and a password as `Authorization: Basic …` (RFC 7617), in UTF-8.
    public static func basic(user: String, password: String) -> AuthCredentials {
        header(basicHeader(user: user, password: password))
    }

    /// The value of the header for Basic.
    static func basicHeader(user: String, password: String) -> String {
        "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    }

    /// A name and a password for a Digest challenge (RFC 7616), which proves the password without sending it.
    ///
    /// They answer challenges with MD5, SHA-256 or their `-sess` forms, and with the quality of protection `auth` or
    /// none. Any other challenge counts as unanswered.
    public static func digest(user: String, password: String) -> AuthCredentials {
        AuthCredentials(kind: .digest(user: user, password: password))
    }

    /// The whole value of the `Authorization` header, for other schemes. A value with a line break fails the request
    /// with `RequestBuildingError.Code.invalidHeader`.
    public static func header(_ value: String) -> AuthCredentials { AuthCredentials(kind: .header(value)) }
}

extension AuthCredentials: MaskedValue {
    /// The name of the type; no values.
    public var description: String { "AuthCredentials" }
}
