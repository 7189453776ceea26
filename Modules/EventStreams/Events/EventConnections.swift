package import HttpMessages
package import Models
package import NodeCore
internal import ResponseProcessing

/// The events of one connection after the other.
package struct EventConnections: ValueSource {
    /// A connection that is about to be opened.
    package struct Opening: Sendable {
        /// The number of the connection, counted from 1.
        package var number = 1
        /// The last id of the server; nil for none.
        package var lastEventId: String?
        /// How long after the end of the connection before it this one is opened.
        package var delay = Duration.zero
        /// Why the connection before it ended; nil where its body was complete, and for the first one.
        package var reason: (any Error)?
    }

    /// How the connections are opened and read.
    package struct Settings: Sendable {
        /// Sends the request, and returns a response that ``EventConnections/accept(_:)`` has accepted.
        package let open: @Sendable (Opening) async throws -> HttpResponse
        /// Whether a connection that ends is followed by another one.
        package var isRepeated = true
        /// The last id that the application knows.
        package var lastEventId: String?
        /// The data of the event that ends the stream, which isn't delivered; nil for none.
        package var lastData: String?
        /// How long a server may send nothing; nil for no limit.
        package var silenceLimit: Duration?
        package var decoder = JsonDecoder.default
        /// The clock of the limit.
        package var clock: any ChainClock = .system
        /// Waits before the next connection.
        package let wait: @Sendable (Duration) async throws -> Void

        package init(
            open: @escaping @Sendable (Opening) async throws -> HttpResponse,
            wait: @escaping @Sendable (Duration) async throws -> Void
        ) {
            self.open = open
            self.wait = wait
        }

        /// Whether the data is that of the event that ends the stream. White space and line ends after it don't count.
        fileprivate func isLast(_ data: String) -> Bool {
            guard let lastData, data.utf8.starts(with: lastData.utf8) else { return false }
            let rest = data.utf8.dropFirst(lastData.utf8.count)
            return lastData.isEmpty ? rest.isEmpty : rest.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        }
    }

    private let settings: Settings
    private var opening: Opening
    private var reconnection: EventReconnection
    private var parser: ServerSentEventParser
    private var body: PieceReader?
    /// The method and URL of the connection's request, with secrets masked.
    private var request = ""
    private var openedAt: ContinuousClock.Instant
    private var source: ServerSentEvent.Source?
    /// Why the connection ended; nil while it is read.
    private var failure: (any Error)?
    /// Whether the event that ends the stream has arrived.
    private var isComplete = false

    package init(_ settings: Settings) {
        self.settings = settings
        opening = Opening(lastEventId: settings.lastEventId)
        openedAt = settings.clock.now
        reconnection = EventReconnection(isRepeated: settings.isRepeated)
        parser = ServerSentEventParser(lastEventId: settings.lastEventId)
    }

    package mutating func ready() -> ServerSentEvent? {
        guard body != nil, failure == nil, !isComplete else { return nil }
        do {
            return try parsedEvent()
        } catch {
            failure = error
            return nil
        }
    }

    package mutating func next() async throws -> ServerSentEvent? {
        while !isComplete {
            do {
                if body == nil, failure == nil, try await !open() { return nil }
                if let event = try await nextOfBody() { return event }
            } catch {
                failure = error
            }
            if !isComplete, try await !reconnect() { return nil }
        }
        return nil
    }

    /// Opens a connection. Returns false where the server says that nothing follows (HTML §9.2.2).
    private mutating func open() async throws -> Bool {
        let response = try await settings.open(opening)
        request = response.requestLine
        guard response.status != 204, response.status != 205 else {
            try checkEnd()
            return false
        }
        reconnection.opened()
        openedAt = settings.clock.now
        parser.reset()
        let stream = response.bytes ?? ByteStream(response.data)
        body = PieceReader(
            stream.mapError { TechnicalError.mapping($0) },
            limit: SilenceLimit(settings.silenceLimit, clock: settings.clock, of: response.request))
        source = ServerSentEvent.Source(decoder: settings.decoder, provenance: response.provenance)
        return true
    }

    /// Returns the next event of the connection; nil after the last one, and after the one that ends the stream.
    private mutating func nextOfBody() async throws -> ServerSentEvent? {
        if let failure { throw failure }
        while true {
            if let event = try parsedEvent() { return event }
            guard !isComplete, let piece = try await body?.next() else { return nil }
            parser.push(piece)
        }
    }

    /// Returns the next event of the pieces that have arrived.
    private mutating func parsedEvent() throws -> ServerSentEvent? {
        guard var event = try parser.next() else { return nil }
        if settings.isLast(event.data) {
            isComplete = true
            return nil
        }
        reconnection.received()
        event.source = source
        return event
    }

    /// Fails where the stream ends before the event that ends it.
    private func checkEnd() throws {
        guard let last = settings.lastData else { return }
        throw ValueStreamError(
            .incomplete, "The body ended before the event that ends the stream, \(last.debugDescription).",
            of: request)
    }

    /// Waits until the next connection may be opened. Returns false where none follows.
    private mutating func reconnect() async throws -> Bool {
        let reason = failure
        (body, failure) = (nil, nil)
        let age = openedAt.duration(to: settings.clock.now)
        switch reconnection.ended(reason, after: age, delay: parser.reconnectionDelay, chance: .random(in: 0...1)) {
        case .end:
            try checkEnd()
            return false
        case .fail(let error): throw (error as? ValueStreamError)?.of(request) ?? error
        case .reconnect(let delay):
            try await settings.wait(delay)
            opening = Opening(
                number: opening.number + 1, lastEventId: parser.lastEventId, delay: delay, reason: reason)
            return true
        }
    }

    /// Returns the response if it may be a stream of events: it has that media type, or no content (HTML §9.2.3).
    package static func accept(_ response: HttpResponse) throws -> HttpResponse {
        let type = response.mediaType?.lowercased()
        guard response.status == 204 || response.status == 205 || type == "text/event-stream" else {
            throw ValueStreamError(
                .unexpectedContentType,
                "The content type is \(type ?? "missing"), and that of server-sent events is text/event-stream.",
                of: response.requestLine)
        }
        return response
    }
}
