import HttpMessages
import Logging
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One request with its cache: looks up, asks the policy, and does what it says.
///
/// A class, because each `async` function would copy a struct of a dozen references.
final class CacheExchange: Sendable {
    let sender: CachingSender
    let request: HttpRequest
    let view: CacheRequest
    let names: CacheNames
    let key: HttpCacheKey
    let publicKey: HttpCacheKey
    /// Whether the response has no reader.
    let isInBackground: Bool
    /// Whether the client declares secrets of its own.
    private let declaresSecrets: Bool

    var cache: HttpCache { sender.cache }

    init(_ sender: CachingSender, _ request: HttpRequest, _ view: CacheRequest, _ names: CacheNames) {
        self.sender = sender
        self.request = request
        self.view = view
        self.names = names
        isInBackground = false
        let options = request.options
        declaresSecrets = !options.secretHeaders.isEmpty || !options.redaction.addedNames.isEmpty
        let url = names.url(of: request)
        key = HttpCacheKey(url: url, session: names.session(of: request, sender.traits))
        publicKey = HttpCacheKey(url: url, session: .everyone)
        if key.session.hasCredentials, key.session != .once { sender.cache.record(key.session, of: request.admissions) }
    }

    /// The same exchange with another request, such as one with less time left.
    init(_ other: CacheExchange, _ request: HttpRequest, isInBackground: Bool = false) {
        (sender, view, names, key, publicKey) = (other.sender, other.view, other.names, other.key, other.publicKey)
        self.request = request
        self.isInBackground = isInBackground
        declaresSecrets = other.declaresSecrets
    }

    func response() async throws -> HttpResponse {
        var exchange = self
        var mayWait =
            view.method == .get && ![.reload, .revalidate].contains(view.mode.kind) && key.session != .once
        var hasWaited = false
        while true {
            let ended = cache.flights.ended
            let sent: CachePolicy.Sent
            switch try await exchange.decide() {
            case .ready(let response):
                if hasWaited { cache.count { $0.collapsed += 1 } }
                return response
            case .network(let next): sent = next
            }
            guard mayWait else { return try await exchange.send(sent) }
            if cache.flights.begin(key) { return try await exchange.lead(sent, since: ended) }
            var request = exchange.request
            // It waits once only: the response that was stored may not be for this request.
            if try await cache.flights.wait(key, &request, clock: cache.clock.clock) { mayWait = false }
            exchange = CacheExchange(exchange, request)
            hasWaited = true
            if let refusal = request.admissions.refusal { throw refusal }
        }
    }

    // MARK: - Looking up

    private enum Step {
        case ready(HttpResponse)
        case network(CachePolicy.Sent)
    }

    /// Serves a stored response, or says what is to be sent.
    private func decide() async throws -> Step {
        var stored = await entries()
        while true {
            let now = cache.clock.now
            switch CachePolicy.decide(view, stored: stored, now: now) {
            case .fail:
                CacheEvent.outcome(.miss, request, status: 504).write()
                return .ready(request.unsatisfiable)
            case .serve(let choice, let reason):
                if let response = try await serve(choice, reason, now) {
                    if reason == .whileRevalidating { revalidateInBackground(choice, stored) }
                    return .ready(response)
                }
                stored.removeAll { $0.id == choice.entry.id }
            case .send(let validated, let fallback):
                return .network(sent(stored, validating: validated, fallback: fallback))
            }
        }
    }

    /// The stored responses that the request may get.
    func entries() async -> [HttpCacheEntry] { await entries(for: key, or: publicKey) }

    private func entries(for key: HttpCacheKey, or publicKey: HttpCacheKey) async -> [HttpCacheEntry] {
        var stored: [HttpCacheEntry]
        if let memory = cache.memory {
            stored = memory.entries(for: key, or: publicKey)
        } else {
            await cache.waitForWrites(of: key.url)
            stored = await cache.storing(.lookup) { try await cache.store.entries(for: [key, publicKey]) } ?? []
        }
        if !sender.traits.decodesBodies { stored.removeAll { $0.headers["Content-Encoding"] != nil } }
        guard sender.traits.followsRedirects else { return stored }
        // A sender that passes redirects to its caller may have stored one.
        return stored.filter { !RedirectRule.isRedirect($0.status) || $0.headers["Location"] == nil }
    }

    // MARK: - Sending

    /// Sends a request that others may wait for.
    ///
    /// - Parameter ended: how many flights had ended when it was decided.
    private func lead(_ sent: CachePolicy.Sent, since ended: Int) async throws -> HttpResponse {
        var sent = sent
        do {
            if cache.flights.ended != ended {
                // Meanwhile another request may have stored the response.
                switch try await decide() {
                case .ready(let response):
                    cache.flights.end(key)
                    cache.count { $0.collapsed += 1 }
                    return response
                case .network(let newer): sent = newer
                }
            }
            let response = try await send(sent)
            // A stream is stored while it is read: the others don't wait for its reader.
            cache.flights.end(key)
            return response
        } catch {
            cache.flights.end(key, isCanceled: error is CancellationError || Task.isCancelled)
            throw error
        }
    }

    /// What the policy has to know when the response arrives.
    ///
    /// - Parameter stored: the stored responses that the request may get.
    func sent(
        _ stored: [HttpCacheEntry], validating validated: [HttpCacheEntry] = [], fallback: StoredChoice? = nil
    ) -> CachePolicy.Sent {
        CachePolicy.Sent(
            request: view, validated: validated, fallback: fallback,
            matching: stored.filter { CachePolicy.matches($0, view) }, key: key, publicKey: publicKey,
            keepsSecrets: cache.memory != nil,
            isLeftOut: { [names, request, declaresSecrets] name in
                // Copying the options for each header would take longer than the rest.
                declaresSecrets
                    ? names.isLeftOut(header: String(decoding: name, as: UTF8.self), request.options)
                    : names.isLeftOut(header: name)
            }, isInBackground: isInBackground)
    }

    /// Sends the request, with the validators of the responses that are to be validated.
    func send(_ sent: CachePolicy.Sent) async throws -> HttpResponse {
        var outgoing = request
        // Without a change the request isn't copied.
        if !sent.validated.isEmpty { sent.validated.addValidators(to: &outgoing.headers) }
        if view.mode.kind == .reload, outgoing.headers["Cache-Control"] == nil {
            outgoing.headers["Cache-Control"] = "no-cache"
        }
        let (requestTime, write) = (cache.clock.now, cache.writes.begin(key))
        var response: HttpResponse
        do {
            response = try await sender.next.send(outgoing)
        } catch {
            guard let stale = try await stale(instead: error, sent) else { throw error }
            Journal.current?.appendAttempt(of: outgoing, by: CacheEvent.writer, .failed(error))
            return stale
        }
        let changes = names.changes(from: outgoing, to: response.request)
        // Here it is the only reference to the response, which isn't copied then.
        response.cache = .miss
        if !sent.validated.isEmpty || view.mode.kind == .reload {
            let attempt = response.request.attempt
            response.request = request
            response.request.attempt = max(attempt, request.attempt)
        }
        let head = ResponseHead(
            status: response.status, headers: response.headers, requestTime: requestTime,
            responseTime: cache.clock.now)
        if response.status == 304, response.url != request.url, !sent.validated.isEmpty {
            recordAttempt(response)
            return try await sendWithoutConditions(sent, since: head.requestTime)
        }
        var scoped = await redirected(sent, response)
        scoped.add(changes)
        return try await use(response, head, scoped, write)
    }

    private func use(
        _ response: HttpResponse, _ head: ResponseHead, _ sent: CachePolicy.Sent, _ write: ActiveWrite
    ) async throws -> HttpResponse {
        switch CachePolicy.react(to: head, sent) {
        case .sendAgain:
            recordAttempt(response)
            return try await sendWithoutConditions(sent, since: head.requestTime)
        case .freshen(let entry, let headers, let isKept):
            recordAttempt(response)
            guard let confirmed = try await deliver(entry, headers, .revalidated) else {
                return try await sendWithoutConditions(sent, since: head.requestTime)
            }
            if isKept {
                await cache.writing(entry.key.url) { [cache] in
                    // What was invalidated meanwhile is removed, or about to be.
                    guard write.isValid else { return }
                    await cache.storing(.update) { try await cache.store.update(entry) }
                }
            } else {
                await cache.storing(.remove) { try await cache.store.remove([entry]) }
            }
            cache.count { $0.revalidations += 1 }
            var result = confirmed
            result.metrics = response.metrics
            return result
        case .serveStale(let choice):
            if let stale = try await serve(choice, .error, cache.clock.now, instead: .status(response.status)) {
                recordAttempt(response)
                return stale
            }
        case .store(let entry, let replaced): return await store(response, entry, replacing: replaced, write)
        case .update(let entry):
            await cache.writing(entry.key.url) { [cache] in
                guard write.isValid else { return }
                await cache.storing(.update) { try await cache.store.update(entry) }
            }
        case .pass(let removed):
            if !removed.isEmpty { await cache.storing(.remove) { try await cache.store.remove(removed) } }
        }
        return missed(response)
    }

    /// Logs the sending of a response that the caller doesn't get.
    private func recordAttempt(_ response: HttpResponse) {
        Journal.current?.appendAttempt(of: request, by: CacheEvent.writer, .completed(response))
    }

    /// What holds for a response that was redirected: it is stored for its own URL.
    private func redirected(_ sent: CachePolicy.Sent, _ response: HttpResponse) async -> CachePolicy.Sent {
        guard response.url != request.url else { return sent }
        var sent = sent
        let url = names.url(response.url, of: response, to: request)
        // The other origin receives no credentials, but the redirect's URL may belong to one user, such as a signed URL.
        // Such a response isn't stored: the end of the session couldn't remove it, and with the sender's credentials, such
        // as a certificate, it may be another one.
        let isOfUser = response.hasLeftOrigin && key.session.hasCredentials
        sent.key = HttpCacheKey(url: url, session: isOfUser ? .once : key.session)
        sent.publicKey = HttpCacheKey(url: url, session: .everyone)
        if response.hasLeftOrigin { sent.request = view.withoutSecrets(request, names, sender.traits.userAgent) }
        // What the request's own URL had is superseded by the redirect.
        let superseded = sent.supersedes(response.status) ? sent.matching : []
        sent.matching = []
        guard view.method == .get else { return sent }
        let stored = await entries(for: sent.key, or: sent.publicKey)
        sent.matching = stored.filter { CachePolicy.matches($0, sent.request) } + superseded
        return sent
    }

    /// - Parameter start: when the request was sent with conditions, in seconds since 1970.
    private func sendWithoutConditions(_ sent: CachePolicy.Sent, since start: Double) async throws -> HttpResponse {
        var again = sent
        again.validated = []
        again.request = view
        again.key = key
        again.publicKey = publicKey
        if let refusal = request.admissions.refusal { throw refusal }
        var request = request
        request.spend(.seconds(cache.clock.now - start))
        return try await CacheExchange(self, request, isInBackground: isInBackground).send(again)
    }

    func missed(_ response: HttpResponse) -> HttpResponse {
        var response = response
        if response.cache != .miss { response.cache = .miss }
        cache.count { $0.misses += 1 }
        CacheEvent.outcome(.miss, request, status: response.status).write()
        return response
    }
}

extension CachePolicy.Sent {
    /// Adds what another sender has changed in the request.
    mutating func add(_ changes: (headers: Set<String>, haveCredentials: Bool)) {
        request.unknownHeaders.formUnion(changes.headers)
        // The next request may be another user's.
        if changes.haveCredentials { key.session = .once }
    }
}

extension CacheRequest {
    /// The request as another origin got it, after a redirect.
    fileprivate func withoutSecrets(
        _ request: HttpRequest, _ names: CacheNames, _ userAgent: String?
    ) -> CacheRequest {
        var bare = request
        bare.headers.removeAll { names.isSecret(header: $0.name, request.options) }
        var view = CacheRequest(bare) { [request = bare] in
            names.nominatedValue(of: $0, in: request, userAgent: userAgent)
        }
        view.unknownHeaders = unknownHeaders
        return view
    }
}
