package import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event of a `text/event-stream` (HTML §9.2).
public struct ServerSentEvent: Sendable {
    /// The type of the event: `message` where the server doesn't name one.
    public var name: String
    /// The data. Several `data` lines are joined by a line feed.
    public var data: String
    /// The last id that the server has sent, with this event or an earlier one; nil where there was none, or an empty one.
    /// A reconnection sends it as `Last-Event-ID`.
    public var id: String?

    /// What the events of a response share.
    package final class Source: Sendable {
        /// Decodes the data.
        let decoder: JsonDecoder
        /// Describes the response.
        let provenance: any JsonProvenance

        package init(decoder: JsonDecoder, provenance: any JsonProvenance) {
            self.decoder = decoder
            self.provenance = provenance
        }
    }

    /// The response that the event is a part of; nil where it isn't known.
    package var source: Source?

    /// Creates an event, for example in a test.
    public init(name: String = "message", data: String, id: String? = nil) {
        self.name = name
        self.data = data
        self.id = id
    }

    /// Decodes ``data`` as JSON, with the decoder of the client that sent the request.
    ///
    /// ```swift
    /// case "created": show(try event.decode(Created.self))
    /// ```
    ///
    /// - Throws: `DecodingError`, which names the request; also for data that are no JSON.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do {
            return try (source?.decoder ?? .default).decode(type, from: Data(data.utf8))
        } catch let error as DecodingError {
            guard let source else { throw error }
            throw error.followed(by: "In an event of \(source.provenance)")
        }
    }
}

extension ServerSentEvent: Hashable {
    /// Whether name, data and id are the same.
    public static func == (left: ServerSentEvent, right: ServerSentEvent) -> Bool {
        left.name == right.name && left.data == right.data && left.id == right.id
    }

    /// Hashes name, data and id.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(data)
        hasher.combine(id)
    }
}

extension ServerSentEvent {
    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "name")
    public var event: String { name }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "name")
    public var type: String { name }
}
