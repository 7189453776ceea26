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

    private struct HeaderRule: Hashable {
        let name: String
        let added: [[String]]
    }

    private struct State {
        var hashes: [String: String] = [:]
        var urls: [String: String] = [:]
        var secretHeaders: [HeaderRule: Bool] = [:]
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
        state.withLock { state in
            if state.hashes.count >= Self.mostKept { state.hashes = [:] }
            state.hashes[secret] = hash
        }
        return hash
    }

    // MARK: - URLs

    /// The name of a URL: the URL itself without its fragment. One with secrets is masked, followed by its hash.
    func url(_ url: URL, _ redaction: Redaction = .standard) -> String {
        let text = url.absoluteString
        let plain = text.utf8.firstIndex(of: 0x23).map { String(text[..<$0]) } ?? text
        // Rules of a client may name further secrets.
        let added = redaction.addedNames
        let place = added.isEmpty ? plain : plain + " \(added)"
        if let known = state.withLock({ $0.urls[place] }) { return known }
        let masked = Redaction.standard.merging(redaction).url(plain)
        let name = masked == plain ? plain : masked + "#" + hash(plain)
        state.withLock { state in
            if state.urls.count >= Self.mostKept { state.urls = [:] }
            state.urls[place] = name
        }
        return name
    }

    /// Whether an entry is of this URL, whatever rules have masked it.
    func isName(_ name: String, of url: URL) -> Bool {
        let plain = url.absoluteString.split(separator: "#", maxSplits: 1).first.map(String.init) ?? ""
        return name == plain || name.hasSuffix("#" + hash(plain)) || name.hasPrefix(plain + "#host=")
    }

    /// The key of a request's URL without its session.
    func url(of request: HttpRequest) -> String {
        var name = url(request.url, request.options.redaction)
        // They select another resource than the URL says.
        if let host = request.headers["Host"] { name += "#host=" + hash(host) }
        #if os(Linux)
        if let socket = request.options.unixSocket { name += "#host=" + hash(socket) }
        #endif
        return name
    }

    // MARK: - Credentials

    /// The session of a request's credentials: of all headers whose values are secrets.
    func session(of request: HttpRequest) -> HttpCacheSession {
        var credentials: [String] = []
        for field in request.headers.fields where isSecret(header: field.name, request.options) {
            credentials.append("\(field.name.lowercased()): \(field.value)")
        }
        if credentials.isEmpty { return .anonymous }
        return HttpCacheSession(rawValue: hash(credentials.sorted().joined(separator: "\n")))
    }

    /// The stored form of a header's value that `Vary` nominates; nil without the header.
    func nominatedValue(of name: String, in request: HttpRequest) -> String? {
        guard let value = request.headers.nominatedValue(of: name) else { return nil }
        return isSecret(header: name, request.options) ? hash(value) : value
    }

    /// Whether the value of a header is a secret.
    func isSecret(header name: String, _ options: RequestOptions) -> Bool {
        if !options.secretHeaders.isEmpty, options.secretHeaders.contains(where: { $0.equalsIgnoringCase(name) }) {
            return true
        }
        let rule = HeaderRule(name: name, added: options.redaction.addedNames)
        if let known = state.withLock({ $0.secretHeaders[rule] }) { return known }
        let isSecret = Redaction.standard.isSecret(header: name) || options.redaction.isSecret(header: name)
        state.withLock { state in
            if state.secretHeaders.count >= Self.mostKept { state.secretHeaders = [:] }
            state.secretHeaders[rule] = isSecret
        }
        return isSecret
    }
}
