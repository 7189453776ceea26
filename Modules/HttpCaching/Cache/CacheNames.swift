import HttpMessages
import Logging
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The names of URLs, sessions and secret values in a store: what would be a secret is a keyed hash (HMAC-SHA-256 with the
/// secret of the store). May be used from any thread.
///
/// What was calculated is kept, because masking and hashing take longer than the rest of a hit.
final class CacheNames: Sendable {
    /// The most results of each kind that are kept. All are dropped beyond.
    private static let mostKept = 500

    /// A URL, or a name, and the names that the rules of a client add to those of every client.
    private struct Ruled: Hashable {
        let text: String
        let added: [[String]]
    }

    private struct State {
        var hashes: [String: String] = [:]
        var urls: [Ruled: String] = [:]
        /// Whether the value of a header is a secret, by its name.
        var headers: [Ruled: Bool] = [:]
        /// Whether a store that isn't in memory leaves out a header of a response, by its name.
        var leftOut: [String: Bool] = [:]
        /// Whether the value of a query parameter is a secret, by its name.
        var parameters: [Ruled: Bool] = [:]
        /// The rules of clients that have masked URLs, by the names that they add.
        var redactions: [[[String]]: Redaction] = [:]
    }

    private let key: [UInt8]
    private let state = Mutex(State())

    init(key: [UInt8]) {
        self.key = key
    }

    /// The keyed hash of a secret, 32 hexadecimal digits: 128 bits, so that two secrets never share one.
    func hash(_ secret: String) -> String {
        if let known = state.withLock({ $0.hashes[secret] }) { return known }
        let digits = Sha256.keyed(secret.utf8, by: key).prefix(16).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        let hash = digits.joined()
        keep(hash, for: secret, in: \.hashes)
        return hash
    }

    // MARK: - URLs

    /// The name of a URL: the URL itself in its normal spelling. One with secrets is masked, followed by its hash.
    func url(_ url: URL, _ redaction: Redaction = .standard) -> String {
        let text = url.absoluteString
        let added = redaction.addedNames
        if isPlain(text, redaction, added) { return text }
        let ruled = Ruled(text: text, added: added)
        if let known = state.withLock({ $0.urls[ruled] }) { return known }
        let plain = NormalUrl.text(text)
        let masked = isPlain(plain, redaction, added) ? plain : Redaction.standard.merging(redaction).url(plain)
        let name = masked == plain ? plain : masked + "#" + hash(plain)
        keep(name, for: ruled, in: \.urls)
        if !added.isEmpty, masked != plain { keep(redaction, for: added, in: \.redactions) }
        return name
    }

    /// Whether a URL in its normal spelling has no secrets.
    private func isPlain(_ url: String, _ redaction: Redaction, _ added: [[String]]) -> Bool {
        guard let names = PlainUrl.parameterNames(url) else { return false }
        return !names.contains { isSecret(parameter: $0, redaction, added) }
    }

    private func isSecret(parameter name: String, _ redaction: Redaction, _ added: [[String]]) -> Bool {
        let ruled = Ruled(text: name, added: added)
        if let known = state.withLock({ $0.parameters[ruled] }) { return known }
        let isSecret =
            Redaction.standard.isSecret(parameter: name, isNumber: false)
            || redaction.isSecret(parameter: name, isNumber: false)
        keep(isSecret, for: ruled, in: \.parameters)
        return isSecret
    }

    private func keep<Key: Hashable & Sendable, Value: Sendable>(
        _ value: Value, for key: Key, in place: any WritableKeyPath<State, [Key: Value]> & Sendable
    ) {
        state.taking { state -> [Key: Value] in
            var old: [Key: Value] = [:]
            if state[keyPath: place].count >= Self.mostKept { swap(&old, &state[keyPath: place]) }
            state[keyPath: place][key] = value
            return old
        }
    }

    /// Precedes the hash of what selects another resource than the URL says. A masked URL has no other `#host=`: a
    /// fragment isn't a part of a name.
    private static let hostMark = "#host="

    /// Whether an entry is of this URL, whatever rules have masked it, and whatever `Host` or socket it is of.
    func isName(_ name: String, of url: URL) -> Bool {
        let plain = NormalUrl.text(url.absoluteString)
        let ofUrl = name.firstRange(of: Self.hostMark).map { name[..<$0.lowerBound] } ?? name[...]
        return ofUrl == plain || ofUrl.hasSuffix("#" + hash(plain))
    }

    /// The key of a request's URL without its session.
    func url(of request: HttpRequest) -> String { url(request.url, at: request) }

    /// The key of a URL that is requested with the `Host`, or over the Unix domain socket, of a request: they select
    /// another resource than the URL says. A redirect to another origin leaves both.
    func url(_ url: URL, at request: HttpRequest) -> String {
        let options = request.options
        var name = self.url(url, options.redaction)
        if let host = request.headers["Host"] { name += Self.hostMark + hash(host) }
        #if os(Linux)
        if let socket = options.unixSocket { name += Self.hostMark + hash(socket) }
        #endif
        return name
    }

    /// The rules by which the request's client, and the clients of this process that declare secrets, mask URLs. What an
    /// unsafe request invalidates may be stored by any of these names.
    func redactions(for request: HttpRequest) -> [Redaction] {
        let own = request.options.redaction
        return (own.addedNames.isEmpty ? [] : [own]) + [.standard] + state.withLock { Array($0.redactions.values) }
    }

    /// The key of a URL that a response is of, or names.
    func url(_ url: URL, of response: HttpResponse, to request: HttpRequest) -> String {
        response.hasLeftOrigin ? self.url(url, request.options.redaction) : self.url(url, at: request)
    }

    // MARK: - Credentials

    /// The session of a request's credentials: of all headers whose values are secrets, and of those that the sender adds.
    /// A link to another origin is requested without the sender's certificate, so that it has no session then.
    func session(of request: HttpRequest, _ traits: SenderTraits) -> HttpCacheSession {
        var credentials: [String] = []
        let options = request.options
        if options.isLinkToOtherOrigin, traits.credentials != nil { return .once }
        let added = options.redaction.addedNames
        for field in request.headers.fields {
            if Self.isForOneRequest(field) { return .once }
            guard isSecret(header: field.name, options, added) else { continue }
            credentials.append("\(field.name.lowercased()): \(field.value)")
        }
        credentials.sort()
        // No name of a header is empty.
        if let added = traits.credentials { credentials.append(": \(added)") }
        return credentials.isEmpty ? .anonymous : HttpCacheSession(rawValue: hash(credentials.joined(separator: "\n")))
    }

    /// The names of the headers, in lower case, that another sender has changed, and whether one of them, or the URL, may
    /// have credentials that the session doesn't know.
    func changes(from request: HttpRequest, to sent: HttpRequest) -> (headers: Set<String>, haveCredentials: Bool) {
        let (old, new) = (request.headers.fields, sent.headers.fields)
        if old == new, request.url == sent.url { return ([], false) }
        let (lost, added) = (old.filter { !new.contains($0) }, new.filter { !old.contains($0) })
        let haveCredentials = added.contains { Self.isForOneRequest($0) || isSecret(header: $0.name, sent.options) }
        return (Set((lost + added).map { $0.name.lowercased() }), haveCredentials || request.url != sent.url)
    }

    /// The schemes of `Authorization` with a nonce, a time or a signature of the request.
    private static let schemesForOneRequest: Set = [
        "digest", "ntlm", "negotiate", "hawk", "oauth", "signature", "dpop", "aws4-hmac-sha256",
        "aws4-ecdsa-p256-sha256",
    ]

    /// Headers with a proof or a signature of one request: DPoP (RFC 9449), HTTP Message Signatures (RFC 9421), and all
    /// that end in `-Signature`.
    private static func isForOneRequest(_ field: HttpHeaders.Field) -> Bool {
        let name = field.name
        switch name.utf8.count {
        case 4: return name.equalsIgnoringCase("DPoP")
        case 9: return name.equalsIgnoringCase("Signature")
        case 13 where name.equalsIgnoringCase("Authorization"):
            return schemesForOneRequest.contains(field.value.prefix { $0 != " " }.lowercased())
        case 15 where name.equalsIgnoringCase("Signature-Input"): return true
        case 11...: return zip(name.utf8.suffix(10), "-signature".utf8).allSatisfy { $0 | 0x20 == $1 }
        default: return false
        }
    }

    /// The stored form of a header's value that `Vary` nominates, also where the sender adds it; nil without the header.
    ///
    /// - Parameters:
    ///   - name: in lower case.
    ///   - userAgent: that of the sender.
    func nominatedValue(of name: String, in request: HttpRequest, userAgent: String?) -> String? {
        guard let value = request.headers.nominatedValue(of: name) else {
            return name == "user-agent" ? userAgent : nil
        }
        return isSecret(header: name, request.options) ? hash(value) : value
    }

    /// Whether a store that isn't in memory leaves out a header of a response, by the bytes of its name: a cookie, a secret,
    /// or one that is never stored.
    func isLeftOut(header name: UnsafeRawBufferPointer) -> Bool {
        StoredHeaders.isNeverStored(usual: name) ?? isLeftOut(header: String(decoding: name, as: UTF8.self))
    }

    /// Whether a store that isn't in memory leaves out a header of a response to a client that declares secrets of its own.
    func isLeftOut(header name: String, _ options: RequestOptions) -> Bool {
        isLeftOut(header: name) || isSecret(header: name, options)
    }

    private func isLeftOut(header name: String) -> Bool {
        if let known = state.withLock({ $0.leftOut[name] }) { return known }
        let lowercased = name.lowercased()
        let isLeftOut =
            StoredHeaders.neverStored.contains(lowercased) || StoredHeaders.cookies.contains(lowercased)
            || Redaction.standard.isSecret(header: name) && !StoredHeaders.harmless.contains(lowercased)
        keep(isLeftOut, for: name, in: \.leftOut)
        return isLeftOut
    }

    /// Whether the value of a header is a secret.
    func isSecret(header name: String, _ options: RequestOptions) -> Bool {
        isSecret(header: name, options, options.redaction.addedNames)
    }

    private func isSecret(header name: String, _ options: RequestOptions, _ added: [[String]]) -> Bool {
        if !options.secretHeaders.isEmpty, options.secretHeaders.contains(where: { $0.equalsIgnoringCase(name) }) {
            return true
        }
        let ruled = Ruled(text: name, added: added)
        if let known = state.withLock({ $0.headers[ruled] }) { return known }
        let isSecret = Redaction.standard.isSecret(header: name) || options.redaction.isSecret(header: name)
        keep(isSecret, for: ruled, in: \.headers)
        return isSecret
    }
}
