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
        let series = Series(self, interval)
        return try await series.run(series.request.chain(as: type), until: isLast)
    }

    /// Sends the request repeatedly until a `Decodable` value is the last one, and returns that.
    @_disfavoredOverload
    public func poll<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, every interval: PollInterval,
        until isLast: @Sendable (Value) throws -> Bool
    ) async throws -> Value {
        let series = Series(self, interval)
        return try await series.run(series.request.chain(as: type), until: isLast)
    }

    /// Sends the request repeatedly until a `Decodable` value, with the status and the headers, is the last one, and
    /// returns that.
    @_disfavoredOverload
    public func poll<Value: Decodable & Sendable>(
        as type: ApiResponse<Value>.Type = ApiResponse<Value>.self, every interval: PollInterval,
        until isLast: @Sendable (ApiResponse<Value>) throws -> Bool
    ) async throws -> ApiResponse<Value> {
        let series = Series(self, interval)
        return try await series.run(series.request.chain(as: type), until: isLast)
    }

    /// Rounds of one request, whose deadline begins with the first one.
    private struct Series {
        let request: ApiRequest
        private let interval: PollInterval
        private let clock: any ChainClock
        private let end: (start: ContinuousClock.Instant, deadline: Duration)?

        init(_ request: ApiRequest, _ interval: PollInterval) {
            let clock = request.settings.clock
            self.interval = interval
            self.clock = clock
            guard let deadline = request.settings.deadline else {
                (self.request, end) = (request, nil)
                return
            }
            let start = clock.now
            self.request = request.setting { $0.deadlineStart = start }
            end = (start, deadline)
        }

        /// All rounds belong to the session in which polling began.
        func run<Value>(_ chain: Node<Void, Value>, until isLast: (Value) throws -> Bool) async throws -> Value {
            try await Run.$current.withValue(.ofRequestMadeNow()) { try await rounds(chain, until: isLast) }
        }

        private func rounds<Value>(
            _ chain: Node<Void, Value>, until isLast: (Value) throws -> Bool
        ) async throws -> Value {
            var round = 1
            while true {
                let value = try await chain.execute(())
                if try isLast(value) { return value }
                var delay = interval.delay(after: round)
                // Past its deadline the next round fails, with the error that names the request.
                if let end { delay = min(delay, end.deadline - end.start.duration(to: clock.now)) }
                if delay > .zero { try await clock.wait(for: delay).value }
                try Task.checkCancellation()
                round += 1
            }
        }
    }
}
