import HttpMessages
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A challenge of the scheme Digest that can be answered, and the computation of its answer (RFC 7616 §3.3, §3.4).
///
/// A pure value. It knows MD5 and SHA-256, both with `-sess`, and the quality of protection `auth` or none (RFC 2069).
struct DigestChallenge: Hashable, Sendable {
    let realm: String
    let nonce: String
    let opaque: String?
    /// The algorithm as the server wrote it; nil for none, which means MD5.
    let algorithm: String?
    /// Whether the quality of protection is `auth`.
    let hasQop: Bool
    /// Whether the server wants a hash instead of the user's name.
    let hashesUser: Bool
    /// Whether the server reads names in UTF-8.
    let isUtf8: Bool
    private let isSha256: Bool
    private let isSession: Bool

    /// Returns nil for another scheme, for a challenge without realm or nonce, and for one that asks for something else.
    init?(_ challenge: AuthChallenge) {
        guard challenge.scheme == "Digest", let realm = challenge["realm"], let nonce = challenge["nonce"] else {
            return nil
        }
        let algorithm = challenge["algorithm"]
        let name = algorithm?.lowercased() ?? "md5"
        guard ["md5", "md5-sess", "sha-256", "sha-256-sess"].contains(name) else { return nil }
        let qop = challenge["qop"]
        if let qop {
            let options = qop.split(separator: ",").map { $0.trimmed.lowercased() }
            guard options.contains("auth") else { return nil }
        }
        isSession = name.hasSuffix("-sess")
        // The hash of a session contains the client's nonce, which is sent with a quality of protection only.
        guard qop != nil || !isSession else { return nil }
        isSha256 = name.hasPrefix("sha")
        hasQop = qop != nil
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = challenge["opaque"]
        hashesUser = challenge["userhash"]?.lowercased() == "true"
        isUtf8 = challenge["charset"]?.lowercased() == "utf-8"
    }

    /// Whether the server rejected a nonce because of its age, and not the password.
    static func isStale(_ challenge: AuthChallenge) -> Bool {
        challenge["stale"]?.lowercased() == "true"
    }

    /// The value of the `Authorization` header.
    ///
    /// - Parameters:
    ///   - target: path and query of the request.
    ///   - count: the number of this request with this nonce, counted from 1.
    ///   - clientNonce: for `-sess`, the same one for all requests with this nonce.
    func authorization(
        user: String, password: String, method: HttpMethod, target: String, count: UInt32, clientNonce: String
    ) -> String {
        var secret = hash("\(user):\(realm):\(password)")
        if isSession { secret = hash("\(secret):\(nonce):\(clientNonce)") }
        let request = hash("\(method.rawValue):\(target)")
        let number = Self.hex(count)
        let proof = hasQop ? "\(nonce):\(number):\(clientNonce):auth" : nonce
        let response = hash("\(secret):\(proof):\(request)")

        var fields = [name(of: user)]
        fields.append("realm=\(Self.quoted(realm))")
        fields.append("uri=\(Self.quoted(target))")
        if let algorithm { fields.append("algorithm=\(algorithm)") }
        fields.append("nonce=\(Self.quoted(nonce))")
        if hasQop { fields += ["nc=\(number)", "cnonce=\(Self.quoted(clientNonce))", "qop=auth"] }
        fields.append("response=\"\(response)\"")
        if let opaque { fields.append("opaque=\(Self.quoted(opaque))") }
        if hashesUser { fields.append("userhash=true") }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// The user's name: hashed, quoted, or percent-encoded where it isn't ASCII (RFC 7616 §3.4.4, RFC 8187 §3.2.1).
    private func name(of user: String) -> String {
        if hashesUser { return "username=\"\(hash("\(user):\(realm)"))\"" }
        guard isUtf8, !user.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            return "username=\(Self.quoted(user))"
        }
        var escaped: [UInt8] = []
        for byte in user.utf8 {
            if byte.isAttributeCharacter { escaped.append(byte) } else { Percent.append(byte, to: &escaped) }
        }
        return "username*=UTF-8''\(String(decoding: escaped, as: UTF8.self))"
    }

    private func hash(_ text: String) -> String {
        (isSha256 ? Sha256.digest(text.utf8) : Md5.digest(text.utf8)).map(Self.hex).joined()
    }

    /// The number in lower-case hexadecimal digits, with leading zeros.
    static func hex(_ number: some FixedWidthInteger) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: number.bitWidth / 4 - digits.utf8.count) + digits
    }

    private static func quoted(_ text: String) -> String {
        var quoted: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        return "\"\(String(decoding: quoted, as: UTF8.self))\""
    }
}

extension URL {
    /// Path and query as a request line has them.
    var requestTarget: String {
        guard let text = UrlText(absoluteString.utf8) else { return "/" }
        let path = text.path.isEmpty ? [UInt8(ascii: "/")] : text.path
        return String(decoding: path + (text.query.map { [UInt8(ascii: "?")] + $0 } ?? []), as: UTF8.self)
    }
}
