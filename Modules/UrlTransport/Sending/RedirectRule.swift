#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What becomes of a request when a server redirects it (RFC 9110 §15.4), the same for all senders.
package struct RedirectRule: Sendable {
    private let settings: SenderConfiguration.Redirects

    package init(_ settings: SenderConfiguration.Redirects) {
        self.settings = settings
    }

    /// Whether an answer with this status is followed, if it says where to.
    package func follows(_ status: Int) -> Bool {
        settings.limit > 0 && [301, 302, 303, 307, 308].contains(status)
    }

    /// What is sent next. `count` redirects have been followed before; errors tell of `original`.
    ///
    /// - Parameter origin: the origin that the sender would connect to for a URL, nil for what it takes for none.
    package func next(
        after hop: HttpRequest, status: Int, to url: URL, count: Int, original: HttpRequest,
        origin: (URL) -> Origin? = { Origin($0) }
    ) throws(TransportError) -> HttpRequest {
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
            throw TransportError(
                .invalidResponse, of: original, redirects: count, reason: "a redirect leads to what is no URL")
        }
        var next = hop
        next.url = url
        let turnsIntoGet =
            status == 303 ? hop.method != .head : (status == 301 || status == 302) && hop.method == .post
        if turnsIntoGet {
            next.method = .get
            next.body = .empty
            for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language"] {
                next.headers[name] = nil
            }
        }
        guard next.body.canBeSent else {
            throw TransportError(
                .bodyAlreadySent, of: original, redirects: count,
                reason: "a redirect with status \(status) asks for the body again, which is a stream that was read")
        }
        if from != to {
            // A host of the caller's own was meant for the first origin only.
            let secrets = ["Authorization", "Cookie", "Proxy-Authorization", "Host"]
            let named = settings.sensitiveHeaders.union(hop.options.secretHeaders)
            for name in named.union(secrets) { next.headers[name] = nil }
        }
        return next
    }
}
