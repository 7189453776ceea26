import HttpMessages
import NodeCore

extension CacheExchange {
    /// A stale response instead of an error of the network, where that is allowed; nil otherwise.
    func stale(instead error: any Error, _ sent: CachePolicy.Sent) async throws -> HttpResponse? {
        guard let error = error as? TransportError, let fallback = sent.fallback, fallback.mayBeStale else {
            return nil
        }
        let now = cache.clock.now
        let choice = StoredChoice(fallback.entry, now: now)
        if error.code.isUnreachable, choice.freshness.staleness <= cache.offlineStaleness, cache.offlineStaleness > 0 {
            return try await serve(choice, .offline, now, instead: .error(error))
        }
        guard error.code.isOfServer, CachePolicy.allowsStale(choice, view, at: now) else { return nil }
        return try await serve(choice, .error, now, instead: .error(error))
    }

    // MARK: - In the background

    /// Validates a stale response that was served (RFC 5861 §3), unless the same request is in progress.
    func revalidateInBackground(_ choice: StoredChoice, _ stored: [HttpCacheEntry]) {
        guard cache.flights.begin(key) else { return }
        var request = request
        request.options.onProgress = nil
        request.options.destination = .stream
        request.options.acceptsSuccess = nil
        let exchange = CacheExchange(self, request, isInBackground: true)
        let validated = Validators(choice.entry).exist ? [choice.entry] : []
        let sent = exchange.sent(stored, validating: validated)
        // With the priority of the request, because others may wait for it.
        Task {
            // The journal of the request that is served has ended, or will soon.
            await Run.$current.withValue(Run.with(journal: nil)) {
                // A stream is read as far as it is stored.
                _ = try? await exchange.send(sent)
            }
            exchange.cache.flights.end(exchange.key)
        }
    }
}

extension TransportError.Code {
    /// Whether no server could be reached. Without a network a sender can't reach its proxy.
    var isUnreachable: Bool {
        switch self {
        case .noNetwork, .hostNotFound, .connectionRefused, .cannotConnect, .connectTimedOut, .proxyFailed: true
        default: false
        }
    }

    /// Whether it is an error of the network or the server, and not of the request.
    var isOfServer: Bool {
        switch self {
        case .requestTimedOut, .stalled, .connectionLost, .truncatedResponse, .invalidResponse, .protocolViolation,
            .tlsFailed:
            true
        default: isUnreachable
        }
    }
}
