public import HttpMessages
public import NodeCore

/// A sender that sends within limits. A client with `rateLimit` or `concurrencyLimit` has one; create it for chains that
/// you wire yourself.
///
/// ```swift
/// let sender = LimitingSender(next: try CurlRequestSender(), rateLimit: RateLimit(50, per: .seconds(1)))
/// ```
///
/// - Each request counts once, redirects included, and so does one that the other sender sends again by itself.
/// - A request with both limits takes its slot first and its token last. So the rate at which requests are sent is never
///   higher than its limit, and requests that wait for it hold slots.
/// - A request that middleware has sent to another origin takes no token, and its response causes no pause.
/// - A request whose session has ended while it waited is not sent.
public struct LimitingSender: RequestSender {
    private let next: any RequestSender
    private let rateLimit: RateLimit?
    private let concurrencyLimit: ConcurrencyLimit?
    private let clock: any ChainClock
    package let traits: SenderTraits

    /// Creates a sender.
    ///
    /// - Parameters:
    ///   - next: the sender that sends.
    ///   - rateLimit: how many requests are sent in a time; nil for any number.
    ///   - concurrencyLimit: how many requests are in progress at once; nil for any number.
    ///   - clock: the source of time.
    public init(
        next: any RequestSender, rateLimit: RateLimit? = nil, concurrencyLimit: ConcurrencyLimit? = nil,
        clock: any ChainClock = .system
    ) {
        self.next = next
        self.rateLimit = rateLimit
        self.concurrencyLimit = concurrencyLimit
        self.clock = clock
        traits = SenderTraits(of: next)
    }

    /// Sends the request through the other sender when the limits admit it.
    ///
    /// - Throws: ``LimitError`` if too many wait; `TransportError` with `requestTimedOut` if the request waited for its
    ///   whole timeout; the errors of the other sender.
    public func send(_ request: HttpRequest) async throws -> HttpResponse {
        guard let limit = concurrencyLimit else { return try await sendAtRate(request, hasWaited: false) }
        if limit.enterAtOnce() { return try await send(request, inSlotOf: limit, hasWaited: false) }
        var request = request
        try await limit.enter(&request, clock: clock)
        return try await send(request, inSlotOf: limit, hasWaited: true)
    }

    /// Sends a request that has a slot, and frees the slot.
    private func send(
        _ request: HttpRequest, inSlotOf limit: ConcurrencyLimit, hasWaited: Bool
    ) async throws -> HttpResponse {
        do {
            let response = try await sendAtRate(request, hasWaited: hasWaited)
            if let buffer = response.bytes?.buffer {
                buffer.onEnd { _ in limit.leave() }
            } else {
                limit.leave()
            }
            return response
        } catch {
            limit.leave()
            throw error
        }
    }

    private func sendAtRate(_ request: HttpRequest, hasWaited: Bool) async throws -> HttpResponse {
        guard let rateLimit, !request.isElsewhere else { return try await sendNow(request, hasWaited: hasWaited) }
        let response: HttpResponse
        if rateLimit.takeAtOnce(clock) {
            response = try await sendNow(request, hasWaited: hasWaited)
        } else {
            var request = request
            try await rateLimit.take(&request, clock: clock)
            response = try await sendNow(request, hasWaited: true)
        }
        if rateLimit.hasRule, response.isOfReceiver { rateLimit.follow(response, clock: clock) }
        return response
    }

    private func sendNow(_ request: HttpRequest, hasWaited: Bool) async throws -> HttpResponse {
        if hasWaited, let refusal = request.admissions.refusal { throw refusal }
        return try await next.send(request)
    }

    /// Shuts the other sender down. Requests that wait fail when it is their turn.
    public func shutdown(drain time: Duration) async {
        await next.shutdown(drain: time)
    }

    /// Closes the other sender. Requests that wait fail when it is their turn.
    public func close() {
        next.close()
    }
}

extension LimitingSender: TraitDeclaring {}
