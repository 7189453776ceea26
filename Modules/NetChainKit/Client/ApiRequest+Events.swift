public import EventStreams
import Logging
import NodeCore
import ResponseProcessing
import UrlTransport

// MARK: - Server-sent events

extension ApiRequest {
    /// The server-sent events of the response (`text/event-stream`, HTML §9.2), as they arrive.
    ///
    /// ```swift
    /// for try await event in api.get("feed").events() {
    ///     if event.name == "created" { show(try event.decode(Created.self)) }
    /// }
    /// ```
    ///
    /// - **Reconnection.** When a connection of a `GET` ends, another one follows, with the last id as `Last-Event-ID`.
    ///   The delay is the server's `retry`. Without one, and while connections bring no event, it grows from 1 s to 30 s, with
    ///   jitter. A 204 ends the stream.
    /// - **Errors** that end it: any that the first connection fails with, a status that isn't accepted, another content
    ///   type, a line or an event of more than 1 MiB, and the request's `deadline`, which is for all connections together.
    /// - **Time limits.** `timeout` and `stallTimeout` hold until the head of each response has arrived. After it a server
    ///   may be silent for `silenceLimit`.
    /// - An `Accept` of the request or its client that doesn't have `text/event-stream` is replaced by it.
    /// - All connections belong to the session of the access token in which the first event was asked for. An expired token is
    ///   refreshed in between.
    ///
    /// - Parameters:
    ///   - lastData: the data of the event that ends the stream, such as `[DONE]`; white space after it doesn't count. It
    ///     isn't delivered. A body that ends without it is an error where no other connection follows.
    ///   - rule: whether another connection follows the end of one.
    ///   - silenceLimit: how long the server may send nothing, not even a comment, while an event is waited for. After
    ///     that the connection has ended: another one follows, or the stream fails with `TechnicalError.timeout`. nil for no
    ///     limit.
    public func events(
        until lastData: String? = nil, reconnecting rule: ReconnectionRule = .automatic, silenceLimit: Duration? = nil
    ) -> ValueStream<ServerSentEvent> {
        ValueStream(eventSource(until: lastData, rule, silenceLimit))
    }

    /// The values in the data of server-sent events, decoded by the client's decoder of JSON: see
    /// ``events(until:reconnecting:silenceLimit:)``.
    ///
    /// ```swift
    /// for try await delta in api.post("chat").body(prompt).events(as: Delta.self, until: "[DONE]") {
    ///     text += delta.text
    /// }
    /// ```
    ///
    /// Events of all names are decoded. Data of another form end the stream with a `DecodingError`.
    public func events<Value: Decodable & Sendable>(
        as type: Value.Type, until lastData: String? = nil, reconnecting rule: ReconnectionRule = .automatic,
        silenceLimit: Duration? = nil
    ) -> ValueStream<Value> {
        ValueStream(MappedValues(eventSource(until: lastData, rule, silenceLimit)) { try $0.decode(type) })
    }

    /// The request with an `Accept` that has the media type of events. That of a client may have JSON alone.
    private var acceptingEvents: ApiRequest {
        let type = "text/event-stream"
        return settings.headers["Accept"]?.lowercased().contains(type) == true ? self : header("Accept", type)
    }

    private func eventSource(
        until lastData: String?, _ rule: ReconnectionRule, _ silenceLimit: Duration?
    ) -> some ValueSource<ServerSentEvent> {
        DeferredValues {
            let series = RequestSeries(of: self)
            let request = series.adding(acceptingEvents).setting { $0.isForValues = true }
            var settings = EventConnections.Settings(
                open: { opening in
                    let request = request.header("Last-Event-ID", opening.lastEventId)
                    let chain = request.chain(.bytes, destination: .stream, entry: opening.entry) {
                        try EventConnections.accept($0)
                    }
                    return try await series.run { try await chain.execute(()) }
                }, wait: { try await series.wait(for: $0) })
            settings.isRepeated =
                switch rule {
                case .automatic: method == .get
                case .always: true
                case .never: false
                }
            settings.lastEventId = self.settings.headers["Last-Event-ID"]
            settings.lastData = lastData
            settings.silenceLimit = silenceLimit
            settings.decoder = self.settings.json.decoder
            settings.clock = self.settings.clock
            return EventConnections(settings)
        }
    }
}

extension EventConnections.Opening {
    /// The log's line of a reconnection; nil for the first connection.
    fileprivate var entry: Log? {
        guard number > 1 else { return nil }
        var details = Log.Details()
        details.attempt = number
        details.duration = delay
        details.error = reason
        return Log(
            id: "EventConnections", level: reason == nil ? .info : .warning, kind: .reconnection, details: details
        ) {
            [number, delay, reason] redaction in
            "connection \(number) after \(delay): the last one "
                + (reason.map { "failed, \(redaction.text("\($0)"))" } ?? "was closed by the server")
        }
    }
}
