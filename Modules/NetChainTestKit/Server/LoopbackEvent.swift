import HttpMessages
import Models

/// A server-sent event (HTML §9.2) of the server.
///
/// ```swift
/// server.on(.get, "/feed") { _ in .events(["one", LoopbackEvent("{}", name: "created", id: "7")]) }
/// ```
public struct LoopbackEvent: Sendable, ExpressibleByStringLiteral {
    /// The bytes of the event, as text.
    package let text: String

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - data: the data; each line of it becomes a `data` field.
    ///   - name: the type of the event; nil for none.
    ///   - id: the id; nil for none.
    ///   - retry: how many milliseconds a client waits before it connects again; nil for none.
    public init(_ data: String, name: String? = nil, id: String? = nil, retry: Int? = nil) {
        let fields = [name.map { "event: \($0)" }, id.map { "id: \($0)" }, retry.map { "retry: \($0)" }].compactMap {
            $0
        }
        let lines = Self.lines(of: data).map { "data: \($0)" }
        text = (fields + lines).map { "\($0)\n" }.joined() + "\n"
    }

    /// Creates an event with data alone.
    public init(stringLiteral data: String) {
        self.init(data)
    }

    private init(text: String) {
        self.text = text
    }

    /// A comment, which keeps a connection alive.
    public static func comment(_ comment: String = "") -> LoopbackEvent {
        LoopbackEvent(text: lines(of: comment).map { ": \($0)\n" }.joined())
    }

    /// The lines of a text, which end with CR LF, LF or CR.
    private static func lines(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false) { ["\r\n", "\n", "\r"].contains($0) }
    }

    /// Exactly this text.
    public static func raw(_ text: String) -> LoopbackEvent {
        LoopbackEvent(text: text)
    }
}

extension LoopbackResponse {
    /// Server-sent events, each in a chunk of its own. The response ends after the last one; with ``closing(afterBytes:)``,
    /// ``resetting(afterBytes:)`` or ``stalling(afterBytes:)`` in the middle, and with ``pausing(_:)`` it takes its time.
    public static func events(_ events: [LoopbackEvent]) -> LoopbackResponse {
        chunked(events.map(\.text), contentType: "text/event-stream")
    }

    /// Server-sent events that have data alone: the data of each.
    @_disfavoredOverload
    public static func events(_ data: [String]) -> LoopbackResponse {
        events(data.map { LoopbackEvent($0) })
    }

    /// Lines, each in a chunk of its own and followed by a line feed.
    public static func lines(_ lines: [String], contentType: String = "application/x-ndjson") -> LoopbackResponse {
        chunked(lines.map { "\($0)\n" }, contentType: contentType)
    }

    /// Values as newline-delimited JSON, encoded now. A value that can't be encoded gives a 500 with the error.
    @_disfavoredOverload
    public static func lines(_ values: [some Encodable]) -> LoopbackResponse {
        encoded { lines(try values.map { try Json(encoding: $0).description }) }
    }
}

extension LoopbackExchange {
    /// Sends an event, after the head of a response with the content type of events if none was sent.
    @discardableResult
    public func send(_ event: LoopbackEvent) -> Bool {
        sendHead(headers: ["Content-Type": "text/event-stream"])
        return sendBody(event.text)
    }
}
