public import HttpMessages
import Logging
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A sender that serves and stores responses by an ``HttpCache``. A client with `cache` has one around its other senders,
/// so that only what is sent counts for limits; create it for chains that you wire yourself.
///
/// ```swift
/// let sender = CachingSender(next: try CurlRequestSender(), cache: HttpCache(memory: 20_000_000))
/// ```
///
/// It gets each attempt, after the token was added. `HttpResponse.cache` says what it did.
public struct CachingSender: RequestSender {
    let next: any RequestSender
    let cache: HttpCache
    package let traits: SenderTraits

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - next: the sender that sends. One of your own that adds credentials returns the request with them as
    ///     `HttpResponse.request`: only `public` responses to it are stored.
    ///   - cache: keeps the responses. Several senders may share it.
    public init(next: any RequestSender, cache: HttpCache) {
        self.next = next
        self.cache = cache
        traits = SenderTraits(of: next)
    }

    /// Serves a stored response, or sends the request and stores its response, as RFC 9111 says.
    ///
    /// - Throws: the errors of the other sender.
    public func send(_ request: HttpRequest) async throws -> HttpResponse {
        var names = cache.knownNames
        if names == nil { names = await cache.storing(.secret) { try await cache.names() } }
        guard let names else { return try await bypass(request, CacheRequest(request) { _ in nil }, nil) }
        let request = declaringSecrets(request)
        let view = CacheRequest(request, addsCookies: traits.addsCookies) { [userAgent = traits.userAgent] in
            names.nominatedValue(of: $0, in: request, userAgent: userAgent)
        }
        guard view.usesCache else { return try await bypass(request, view, names) }
        return try await CacheExchange(self, request, view, names).response()
    }

    /// The request with the secrets that the sender's configuration declares, which a chain has set already.
    private func declaringSecrets(_ request: HttpRequest) -> HttpRequest {
        guard !request.options.secretHeaders.isSuperset(of: traits.declaredSecrets) else { return request }
        var request = request
        request.options.secretHeaders.formUnion(traits.declaredSecrets)
        return request
    }

    /// Sends a request for which no stored response is served, except a part of it, unless only the cache may respond.
    ///
    /// - Parameter names: nil where the store has failed.
    private func bypass(
        _ request: HttpRequest, _ view: CacheRequest, _ names: CacheNames?
    ) async throws -> HttpResponse {
        if let names, view.part != nil, let part = try await CacheExchange(self, request, view, names).part() {
            return part
        }
        // The header is for safe requests: the one of an unsafe request is for the server's caches.
        if view.mode.kind == .onlyIfCached || view.isOnlyIfCached && view.isSafe {
            CacheEvent.outcome(.miss, request, status: 504).write()
            return request.unsatisfiable
        }
        guard let names, !view.isSafe else { return try await next.send(request) }
        return try await sendUnsafe(request, view, names)
    }

    private func sendUnsafe(
        _ request: HttpRequest, _ view: CacheRequest, _ names: CacheNames
    ) async throws -> HttpResponse {
        let requestTime = cache.clock.now
        // Registered before the request is sent, so that what is invalidated meanwhile isn't stored.
        let exchange = view.mayStorePosted ? CacheExchange(self, request, view, names) : nil
        let write = exchange.map { cache.writes.begin($0.key) }
        let response: HttpResponse
        do {
            response = try await next.send(request)
        } catch {
            // The server may have done it, and only the response is lost or can't be used.
            if (error as? TransportError)?.wasProcessed != .no { await invalidate(request, nil, names) }
            throw error
        }
        guard (200..<400).contains(response.status) else { return response }
        await invalidate(request, response, names, except: write)
        guard let exchange, let write else { return response }
        return await exchange.posted(response, requestTime: requestTime, write)
    }

    /// Removes what an unsafe request has changed: the responses of its URL, and of those that the response names (RFC 9111
    /// §4.4).
    ///
    /// - Parameters:
    ///   - response: nil for a request that failed.
    ///   - own: the write of the request itself.
    private func invalidate(
        _ request: HttpRequest, _ response: HttpResponse?, _ names: CacheNames, except own: ActiveWrite? = nil
    ) async {
        let named = response.map { response in (response, Self.changed(by: response)) }
        let urls = Set(
            names.redactions(for: request).flatMap { redaction in
                var request = request
                request.options.redaction = redaction
                let others = named.map { response, urls in urls.map { names.url($0, of: response, to: request) } }
                return [names.url(of: request)] + (others ?? [])
            })
        cache.writes.invalidate(except: own) { key, _ in urls.contains(key.url) }
        for url in urls { await cache.waitForWrites(of: url) }
        // Of all sessions, also those of earlier processes.
        await cache.storing(.remove) { try await cache.store.remove(urls: urls) }
    }

    /// The URL of a response to an unsafe request, and those that `Location` and `Content-Location` name at its origin.
    private static func changed(by response: HttpResponse) -> [URL] {
        let origin = Origin(response.url)
        // After a redirect to another origin, the response may be one to a `GET` of it, which changes nothing there. Its own
        // URL is removed, because a redirect with 307 or 308 repeats the unsafe method.
        let headers = response.hasLeftOrigin ? [] : ["Location", "Content-Location"]
        return [response.url]
            + headers.compactMap { response.headers[$0] }
            .compactMap { RedirectRule.target(of: $0, from: response.url) }.filter { Origin($0) == origin }
    }

    /// Shuts the other sender down, and waits until the responses are stored.
    public func shutdown(drain time: Duration) async {
        await next.shutdown(drain: time)
        await cache.waitForWrites()
    }

    /// Closes the other sender.
    public func close() {
        next.close()
    }
}

extension CachingSender: TraitDeclaring {}

extension HttpRequest {
    /// The response where only a stored one may be served, and there is none (RFC 9111 §5.2.1.7).
    var unsatisfiable: HttpResponse {
        var response = HttpResponse(request: self, status: 504)
        response.cache = .miss
        return response
    }
}
