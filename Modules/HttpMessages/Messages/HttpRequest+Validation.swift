#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension HttpRequest {
    /// Fails for a request that no sender may send, such as one that would allow injection.
    ///
    /// - Returns: the origin of the URL, and whether that has the plain form (``Origin/init(plain:)``).
    /// - Throws: ``TransportError`` with ``TransportError/Code/invalidUrl`` for the URL, with
    ///   ``TransportError/Code/bodyAlreadySent`` for a stream that was read, and with
    ///   ``TransportError/Code/invalidRequest`` for the rest.
    @discardableResult
    package func validate() throws(TransportError) -> (origin: Origin, isPlain: Bool) {
        guard method == .get || method == .post || method.canBeSent else {
            throw TransportError(
                .invalidRequest, of: self, reason: "\(method.rawValue.debugDescription) is no method that can be sent")
        }
        let plain = Origin(plain: url)
        // Reading it from the request again copies it.
        let body = body
        let origin = plain ?? Origin(url)
        guard plain != nil || origin.isOfHttp else {
            throw TransportError(.invalidUrl, of: self, reason: "the URL is not http or https, or has no host")
        }
        // With a body, a sender would wait for the body of the response, which never arrives.
        guard body.isEmpty || method != .head else {
            throw TransportError(.invalidRequest, of: self, reason: "a HEAD request can't have a body")
        }
        guard (body.length ?? 0) >= 0 else {
            throw TransportError(.invalidRequest, of: self, reason: "the length of the body is negative")
        }
        guard body.length != .max else {
            throw TransportError(.invalidRequest, of: self, reason: "the body is longer than any transfer")
        }
        #if os(Linux)
        if let path = unixSocket, let reason = UnixSocketPath.problem(path) {
            throw TransportError(
                .invalidRequest, of: self,
                reason: "\(path.debugDescription) is no path of a Unix domain socket: \(reason)")
        }
        #endif
        do {
            try headers.validate()
        } catch {
            throw TransportError(.invalidRequest, of: self, reason: "\(error)", cause: error)
        }
        guard body.canBeSent else {
            throw TransportError(
                .bodyAlreadySent, of: self, reason: "the body is a stream, which can be read once, and was read before")
        }
        return (origin, plain != nil)
    }
}

extension HttpMethod {
    fileprivate var canBeSent: Bool {
        self != .connect && !rawValue.isEmpty && rawValue.utf8.allSatisfy(\.isTokenCharacter)
    }
}

#if os(Linux)
private enum UnixSocketPath {
    /// The size of `sun_path` (unix(7)) without its final NUL.
    private static let longest = 107

    /// Why the path can't be used; nil if it can.
    static func problem(_ path: String) -> String? {
        if !path.utf8.starts(with: "/".utf8) { return "it must be absolute" }
        if path.utf8.contains(0) { return "it must not hold a NUL" }
        return path.utf8.count > longest ? "it may have \(longest) bytes, and has \(path.utf8.count)" : nil
    }
}
#endif

extension Origin {
    fileprivate var isOfHttp: Bool { (isHttps || scheme == "http") && !host.isEmpty && !hasEscapes }

    /// Whether the host has bytes that no name can have. Only the zone of an IPv6 address is written with an escape.
    private var hasEscapes: Bool { host.utf8.contains(0x25) && !host.hasPrefix("[") }
}
