import NodeCore
public import ResponseProcessing
import UrlTransport

/// At most two responses to a request: what is stored, then what the network says.
///
/// ```swift
/// for try await article in api.get("articles/1").cacheThenNetwork(as: Article.self) {
///     show(article.value)
/// }
/// ```
///
/// It has one reader; each iterator sends the request again. Its requests are made when it is asked for the first
/// response: then the deadline begins, and they belong to the session of that time.
public struct CacheThenNetwork<Value: Sendable>: AsyncSequence, Sendable {
    /// What the cache has.
    enum Stored: Sendable {
        case nothing
        /// A response that can't be read as the type, or whose status isn't accepted.
        case unusable
        case response(ApiResponse<Value>)

        fileprivate var response: ApiResponse<Value>? {
            if case .response(let response) = self { response } else { nil }
        }
    }

    let begin: @Sendable () -> RequestSeries
    let cached: @Sendable (RequestSeries) async -> Stored
    let network: @Sendable (RequestSeries, Stored) async throws -> ApiResponse<Value>

    /// Returns an iterator, whose first call looks into the cache.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self, step: .start)
    }

    /// Reads a ``CacheThenNetwork``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate enum Step {
            case start, cached(RequestSeries), network(RequestSeries, Stored), end
        }

        private let sequence: CacheThenNetwork
        private var step: Step

        fileprivate init(sequence: CacheThenNetwork, step: Step) {
            self.sequence = sequence
            self.step = step
        }

        /// Returns the stored response, then that of the network; nil after it.
        ///
        /// - Throws: the error of the request to the network. What can't be read from the cache is left out, and the
        ///   server is asked.
        public mutating func next() async throws -> ApiResponse<Value>? {
            if case .start = step { step = .cached(sequence.begin()) }
            if case .cached(let series) = step {
                let stored = await sequence.cached(series)
                step = .network(series, stored)
                if let response = stored.response { return response }
            }
            guard case .network(let series, let stored) = step else { return nil }
            step = .end
            let response = try await sequence.network(series, stored)
            // An immutable response that is fresh (RFC 8246) isn't asked for again.
            if stored.response != nil, case .hit = response.cache { return nil }
            return response
        }
    }
}

extension ApiRequest {
    /// The stored response at once, if there is one, and then that of the network: at most two.
    ///
    /// - The first one may be stale. It is left out if nothing is stored, or if the response says `no-cache`, or is stale
    ///   and says `must-revalidate`.
    /// - The second one has the same value as the first, which isn't decoded again, if its `cache` is `.revalidated`, or if
    ///   it has the same strong `ETag`. It is left out if the first one is fresh and `immutable`.
    /// - An error of the network is thrown after the first one.
    /// - Without a cache there is one response.
    ///
    /// - Parameter type: the type of the value, as for `send(as:)`.
    public func cacheThenNetwork<Value: DTODecodable>(as type: Value.Type = Value.self) -> CacheThenNetwork<Value>
    where Value.DTO.Raw: ResponseConvertible {
        cacheThenNetwork(Value.DTO.Raw.bodyFormat) { try Value.model(from: $0) }
    }

    /// The stored response at once, if there is one, and then that of the network, of any `Decodable` value.
    @_disfavoredOverload
    public func cacheThenNetwork<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self
    ) -> CacheThenNetwork<Value> {
        let coders = settings.responseCoders
        return cacheThenNetwork(Value.bodyFormat(coders)) { try Value.decoded(from: $0, by: coders) }
    }

    /// Calls a closure on the main actor with the stored response, if there is one, and then with that of the network.
    ///
    /// ```swift
    /// api.get("articles/1").cacheThenNetwork(as: Article.self) { self.article = $0.value }.onError { self.show($0) }
    /// ```
    ///
    /// - Returns: an observer that completes after the last call.
    @discardableResult
    public func cacheThenNetwork<Value: DTODecodable>(
        as type: Value.Type = Value.self, _ onResponse: @escaping @MainActor @Sendable (ApiResponse<Value>) -> Void
    ) -> MainActorObserver<Void> where Value.DTO.Raw: ResponseConvertible {
        cacheThenNetwork(as: type).observed(onResponse)
    }

    /// Calls a closure on the main actor with the stored response, if there is one, and then with that of the network, of
    /// any `Decodable` value.
    @_disfavoredOverload
    @discardableResult
    public func cacheThenNetwork<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, _ onResponse: @escaping @MainActor @Sendable (ApiResponse<Value>) -> Void
    ) -> MainActorObserver<Void> {
        cacheThenNetwork(as: type).observed(onResponse)
    }

    private func cacheThenNetwork<Value>(
        _ format: BodyFormat, _ value: @escaping @Sendable (HttpResponse) throws -> Value
    ) -> CacheThenNetwork<Value> {
        // The body is parsed by `value`, and only if it is new. A parser of the application is a node of the chain.
        let format = settings.parser == nil ? .bytes : format
        let usesCache = settings.cache != nil && settings.caching == .standard
        return CacheThenNetwork(
            begin: { RequestSeries(of: self) },
            cached: { series in
                guard usesCache else { return .nothing }
                let stored = series.adding(self).caching(.onlyIfCached).acceptedStatuses(.all)
                let found = try? await series.run {
                    try await stored.chain(format) { response -> CacheThenNetwork<Value>.Stored in
                        guard response.cache?.isStored == true else { return .nothing }
                        guard settings.acceptedStatuses.accepts(response.status) else { return .unusable }
                        return .response(ApiResponse(value: try value(response), of: response))
                    }.execute(())
                }
                return found ?? .unusable
            },
            network: { series, stored in
                let request =
                    switch stored {
                    case .nothing: self
                    // It may be fresh: the cache would serve it again.
                    case .unusable: caching(.reload)
                    case .response: caching(.revalidate)
                    }
                return try await series.run {
                    try await series.adding(request).chain(format) { response in
                        if let stored = stored.response, response.hasSameBody(as: stored) {
                            return ApiResponse(value: stored.value, of: response)
                        }
                        return ApiResponse(value: try value(response), of: response)
                    }.execute(())
                }
            })
    }
}

extension CacheThenNetwork {
    fileprivate func observed(
        _ onResponse: @escaping @MainActor @Sendable (ApiResponse<Value>) -> Void
    ) -> MainActorObserver<Void> {
        // The request is made now, not when the task begins.
        let series = begin()
        return Observer(async: {
            var iterator = Iterator(sequence: self, step: .cached(series))
            while let response = try await iterator.next() {
                // A cancel on the main actor may precede the call there.
                await MainActor.run { if !Task.isCancelled { onResponse(response) } }
            }
        }).onMain
    }
}

extension HttpResponse {
    /// Whether the body is that of a stored response: the server has confirmed it, or it has the same strong tag.
    fileprivate func hasSameBody<Value>(as stored: ApiResponse<Value>) -> Bool {
        guard status == stored.status else { return false }
        let (tag, date) = (headers["ETag"], headers["Last-Modified"])
        switch cache {
        case .revalidated, .hit:
            return tag == stored.headers["ETag"] && date == stored.headers["Last-Modified"]
        default:
            guard let tag, !tag.hasPrefix("W/") else { return false }
            return tag == stored.headers["ETag"]
        }
    }
}
