public import Models
import NodeCore
public import ResponseProcessing

// MARK: - Polling

extension ApiRequest {
    /// Sends the request repeatedly until a value is the last one, and returns that: polling.
    ///
    /// ```swift
    /// let job = try await api.get("jobs/1").deadline(.seconds(60)).poll(as: Job.self, every: .seconds(1)) {
    ///     $0.isDone
    /// }
    /// ```
    ///
    /// - Each round is a request with all settings of this one, such as its retries.
    /// - All rounds belong to the session of the access token in which this function was called.
    /// - The request's `deadline` is for all rounds and delays together. Without one, polling may never end.
    /// - Canceling the task ends the request or the delay in progress at once.
    ///
    /// - Parameters:
    ///   - type: the type of the value, as for `send(as:)`.
    ///   - interval: the time between the end of a round and the start of the next one, by the client's clock.
    ///   - isLast: whether the value is returned. Called in the caller's task, on any thread.
    /// - Throws: the error of a round, as for `send(as:)`; the error of `isLast`; `TechnicalError.timeout` when the
    ///   deadline has passed.
    public func poll<Value: DTODecodable>(
        as type: Value.Type = Value.self, every interval: PollInterval,
        until isLast: @Sendable (Value) throws -> Bool
    ) async throws -> Value where Value.DTO.Raw: ResponseConvertible {
        try await rounds({ $0.chain(as: type) }, every: interval, until: isLast)
    }

    /// Sends the request repeatedly until a `Decodable` value is the last one, and returns that.
    @_disfavoredOverload
    public func poll<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, every interval: PollInterval,
        until isLast: @Sendable (Value) throws -> Bool
    ) async throws -> Value {
        try await rounds({ $0.chain(as: type) }, every: interval, until: isLast)
    }

    /// Sends the request repeatedly until a `Decodable` value, with the status and the headers, is the last one, and
    /// returns that.
    @_disfavoredOverload
    public func poll<Value: Decodable & Sendable>(
        as type: ApiResponse<Value>.Type = ApiResponse<Value>.self, every interval: PollInterval,
        until isLast: @Sendable (ApiResponse<Value>) throws -> Bool
    ) async throws -> ApiResponse<Value> {
        try await rounds({ $0.chain(as: type) }, every: interval, until: isLast)
    }

    /// The request that asks the server in each round, whatever is fresh in a cache.
    private var asking: ApiRequest {
        settings.cache != nil && settings.caching == .standard ? caching(.revalidate) : self
    }

    /// Sends rounds of the request until a value is the last one.
    private func rounds<Value>(
        _ chain: (ApiRequest) -> Node<Void, Value>, every interval: PollInterval, until isLast: (Value) throws -> Bool
    ) async throws -> Value {
        let series = RequestSeries(of: self)
        let chain = chain(series.adding(asking))
        var round = 1
        while true {
            let value = try await series.run { try await chain.execute(()) }
            if try isLast(value) { return value }
            try await series.wait(for: interval.delay(after: round))
            round += 1
        }
    }
}
