internal import Models
import NodeCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Derives the next request from a redirect (RFC 9110 §15.4), without secrets for another origin. The same for all
/// senders.
package struct RedirectRule: Sendable {
    /// Headers about the content of a request beside `Content-…`, which a GET after a POST doesn't have (RFC 9110 §15.4),
    /// and `Expect` (§10.1.1).
    private static let contentHeaders = ["Digest", "Repr-Digest", "Last-Modified", "Trailer", "Expect"]

    private let settings: SenderConfiguration.Redirects

    package init(_ settings: SenderConfiguration.Redirects) {
        self.settings = settings
    }

    /// Whether a response with this status is followed if it has a `Location`.
    package func follows(_ status: Int) -> Bool {
        settings.limit > 0 && Self.isRedirect(status)
    }

    /// Whether a response with this status is a redirect if it has a `Location`.
    package static func isRedirect(_ status: Int) -> Bool {
        [301, 302, 303, 307, 308].contains(status)
    }

    /// Returns the URL that a `Location` leads to from `url` (RFC 3986 §5.2), with the fragment of `url` if it has none
    /// (RFC 9110 §10.2.2); nil if it is no URL.
    package static func target(of location: String, from url: URL) -> URL? {
        guard !location.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            let base = UrlText(url.absoluteString.utf8), let reference = UrlText(location.utf8)
        else { return nil }
        var target = base.resolving(reference)
        if target.fragment == nil { target.fragment = base.fragment }
        return URL(target)
    }

    /// Returns the next request.
    ///
    /// - Parameters:
    ///   - hop: the request that was redirected.
    ///   - location: the `Location` of the response.
    ///   - count: the number of redirects already followed.
    ///   - original: the request that errors describe.
    ///   - origin: returns the origin that the sender would connect to for a URL; nil for an invalid URL.
    /// - Throws: ``TransportError`` when the limit is reached, the URL is invalid or insecure, or the body can't be
    ///   sent again.
    package func next(
        after hop: HttpRequest, status: Int, to location: String, count: Int, original: HttpRequest,
        origin: (URL) -> Origin? = { Origin($0) }
    ) throws(TransportError) -> HttpRequest {
        func noUrl() -> TransportError {
            TransportError(
                .invalidResponse, of: original, redirects: count, reason: "the Location of a redirect is no valid URL",
                wasProcessed: .yes)
        }
        guard let url = Self.target(of: location, from: hop.url) else { throw noUrl() }
        guard count < settings.limit else {
            throw TransportError(
                .tooManyRedirects, of: original, redirects: count,
                reason: "more redirects than redirects.limit, \(settings.limit)")
        }
        let scheme = url.scheme?.lowercased() ?? ""
        guard scheme == "https" || scheme == "http" && (!hop.isHttps || settings.allowsInsecure) else {
            let from = hop.isHttps ? "https" : "http"
            throw TransportError(
                .insecureRedirect, of: original, redirects: count, reason: "a redirect leads from \(from) to \(scheme)")
        }
        guard let from = origin(hop.url), let to = origin(url), to.scheme == scheme, !to.host.isEmpty else {
            throw noUrl()
        }
        var next = hop
        // Within one origin the user info is kept if the new URL has none.
        next.url = from == to ? url.withUserInfo(of: hop.url) : url
        let turnsIntoGet =
            status == 303 ? hop.method != .head : (status == 301 || status == 302) && hop.method == .post
        if turnsIntoGet {
            next.method = .get
            next.body = .empty
            next.headers.removeAll { Self.isAboutContent($0.name) }
        }
        guard next.body.canBeSent else {
            throw TransportError(
                .bodyAlreadySent, of: original, redirects: count,
                reason: "a redirect with status \(status) asks for the body again, which is a stream that was read",
                wasProcessed: .yes)
        }
        if from != to {
            let secrets = OriginSecrets(hop.options, settings)
            next.headers.removeAll { secrets.isBoundToOrigin(header: $0.name) }
        }
        return next
    }

    private static func isAboutContent(_ name: String) -> Bool {
        String(name.prefix(8)).equalsIgnoringCase("Content-")
            || contentHeaders.contains { $0.equalsIgnoringCase(name) }
    }
}

extension URL {
    /// Returns the URL with the user info of `other`, unless it has its own.
    package func withUserInfo(of other: URL) -> URL {
        guard let userInfo = UrlText(other.absoluteString.utf8)?.authority?.userInfo,
            var text = UrlText(absoluteString.utf8), text.authority?.userInfo == nil
        else { return self }
        text.authority?.userInfo = userInfo
        return URL(text) ?? self
    }
}
