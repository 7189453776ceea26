import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheExchange {
    /// Serves a stored response, or a part of it; nil where its body is gone or damaged.
    ///
    /// - Parameter instead: what it is served instead of.
    /// - Throws: an error that isn't the store's, such as that of the caller's file.
    func serve(
        _ choice: StoredChoice, _ reason: CacheOutcome.StaleReason?, _ now: Double, part: Range<Int64>? = nil,
        instead: CacheEvent.Instead? = nil
    ) async throws -> HttpResponse? {
        let age = choice.freshness.age.isFinite ? max(0, choice.freshness.age) : 0
        let outcome = reason.map { CacheOutcome.stale(age: .seconds(age), $0) } ?? .hit(age: .seconds(age))
        var headers = choice.entry.headers
        // §5.1
        let value = String(Int64(age))
        if headers["Age"] == nil { headers.addValid(name: "Age", value: value) } else { headers["Age"] = value }
        guard let response = try await deliver(choice.entry, headers, outcome, part: part, instead) else { return nil }
        cache.count { statistics in
            statistics.hits += 1
            if reason != nil { statistics.stale += 1 }
        }
        return response
    }

    /// The response with a stored body; nil where the body is gone or damaged.
    ///
    /// - Throws: an error that isn't the store's, such as that of the caller's file.
    func deliver(
        _ entry: HttpCacheEntry, _ headers: HttpHeaders, _ outcome: CacheOutcome, part: Range<Int64>? = nil,
        _ instead: CacheEvent.Instead? = nil
    ) async throws -> HttpResponse? {
        var response = HttpResponse(request: request, status: entry.status, headers: headers)
        if let part, let length = entry.bodyLength {
            response.status = 206
            response.headers["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
            response.headers["Content-Length"] = String(part.count)
        }
        response.cache = outcome
        if view.method == .get {
            let body = if let memory = cache.memory { memory.body(of: entry) } else { await storedBody(of: entry) }
            guard let body else { return nil }
            do {
                response = try await verified(body, of: entry, in: response, part)
            } catch let error as BodyDelivery.CallerError {
                throw error.cause
            } catch {
                try Task.checkCancellation()
                await cache.remove(entry, becauseOf: error)
                return nil
            }
        }
        CacheEvent.outcome(outcome, request, status: response.status, instead: instead).write()
        return response
    }

    private func storedBody(of entry: HttpCacheEntry) async -> HttpCacheBody? {
        await cache.storing(.read) { try await cache.store.body(of: entry) } ?? nil
    }

    /// The response with the body, which was read once where it is served as a stream.
    private func verified(
        _ body: HttpCacheBody, of entry: HttpCacheEntry, in response: HttpResponse, _ part: Range<Int64>?
    ) async throws -> HttpResponse {
        var body = body
        if try await BodyDelivery.verifies(body, for: response) {
            guard let again = try await cache.store.body(of: entry) else { throw BodyDelivery.Failure.wrongLength }
            body = again
        }
        return try await BodyDelivery.deliver(
            part.map { body.part($0) } ?? body, in: response, limit: sender.traits.responseSize,
            onStreamFailure: { [cache] error in
                // The journal of this run may be closed. The next request reports the failure.
                await Task.detached { await cache.remove(entry, becauseOf: error) }.value
            })
    }
}

extension HttpCache {
    /// Reports that a body can't be read, and removes its entry: it is damaged, as far as this cache can say.
    fileprivate func remove(_ entry: HttpCacheEntry, becauseOf error: any Error) async {
        await storing(.read) { throw error }
        await storing(.remove) { try await store.remove([entry]) }
    }
}
