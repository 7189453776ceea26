public import NodeCore

/// Something that happened in a run of a chain: a request, a response, a retry, or a line that a node writes.
///
/// Sinks receive it as it happens (``LogSink/events(_:)``) or with others in a ``LogReport``. ``kind`` and ``details``
/// are for programs. ``message`` is for people, and is created only when a sink shows it.
public struct Log: JournalEntry {
    /// What happened. A module or an application adds its own kinds in an extension.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, such as `request`.
        public let description: String

        /// Creates a kind.
        public init(_ name: String) {
            description = name
        }

        /// A line of a node.
        public static let message = Kind("message")
        /// A request is sent. Details: method, URL, attempt.
        public static let request = Kind("request")
        /// One sending of a request ended; at level `debug`. Details: method, URL, attempt, duration; the status or the
        /// error; the metrics as the value.
        public static let attempt = Kind("attempt")
        /// A redirect is followed. Details: the status, and the method and URL of the next request.
        public static let redirect = Kind("redirect")
        /// The chain received a response. Details: method, URL, attempt, status, duration.
        public static let response = Kind("response")
        /// An attempt failed. If no other one follows, the message says why. Details: method, URL, the attempt that failed,
        /// the error; the delay as the duration, nil where no other attempt follows.
        public static let retry = Kind("retry")
        /// A stream of events is connected again. Details: the number of the connection as the attempt, the delay before it
        /// as the duration, and the error that ended the one before; nil where its body was complete.
        public static let reconnection = Kind("reconnection")
        /// What a cache did with a request, or an error of its store. Details: method, URL, attempt, status, the error; the
        /// `CacheOutcome` as the value.
        public static let cache = Kind("cache")
        /// A step of a token refresh. Details: the duration of the refresh and its error, when it has ended.
        public static let refresh = Kind("refresh")
        /// A step failed; the chain may recover from it. From the logger itself, at level `error`: the run failed.
        /// Details: the error, and those of the last request; of the run also the duration.
        public static let failure = Kind("failure")
        /// The run completed. Details: the duration, and those of the last request and its response.
        public static let completion = Kind("completion")
        /// The run was canceled. Details: the duration, and those of the last request.
        public static let cancellation = Kind("cancellation")
    }

    /// The details of an event; nil where they don't apply.
    public struct Details: Sendable {
        /// The method of the request.
        public var method: String?
        /// The URL of the request. Secrets in it are masked when it is read from a ``Log``.
        public var url: String?
        /// The status of the response.
        public var status: Int?
        /// The number of the sending, counted from 1.
        public var attempt: Int?
        /// The duration of what happened.
        public var duration: Duration?
        /// The error, unmasked: mask what you show of it.
        public var error: (any Error)?
        /// The number of the run in this process, for a sink of events: the events of a run share it.
        public var run: Int?
        /// What the writer measured, such as the metrics of a transfer.
        public var value: (any Sendable)?

        /// Creates details with all properties nil.
        public init() {}
    }

    /// The writer: by default the node's name. Filters use it.
    public let id: String
    /// What happened.
    public let kind: Kind
    /// The severity.
    public let level: LogLevel
    /// About how many bytes the message keeps in memory.
    public let retainedBytes: Int
    /// The details with the URL as it is.
    private(set) var unmasked: Details
    private var redaction: Redaction
    private let makeMessage: @Sendable (Redaction) -> String

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - id: the writer, by default the node's name.
    ///   - level: the severity.
    ///   - kind: what happened.
    ///   - details: what is known about it.
    ///   - retainedBytes: about how many bytes the closure keeps in memory. They count against the limit of a sink.
    ///   - message: creates the text, which ``Redaction/text(_:)`` masks. A sink calls it when it shows the event, by
    ///     default on the sink's queue.
    public init(
        id: String, level: LogLevel = .info, kind: Kind = .message, details: Details = Details(),
        retainedBytes: Int = 0, message: @escaping @Sendable () -> String
    ) {
        self.init(id: id, level: level, kind: kind, details: details, retainedBytes: retainedBytes) {
            $0.text(message())
        }
    }

    /// Creates an event whose message masks its parts itself: a URL, headers, a body.
    package init(
        id: String, level: LogLevel = .info, kind: Kind = .message, details: Details = Details(),
        retainedBytes: Int = 0, redaction: Redaction = .standard, message: @escaping @Sendable (Redaction) -> String
    ) {
        self.id = id
        self.level = level
        self.kind = kind
        unmasked = details
        self.retainedBytes = retainedBytes
        self.redaction = redaction
        makeMessage = message
    }

    /// What is known about it. Secrets in the URL are masked as in the ``message``.
    public var details: Details {
        var details = unmasked
        details.url = details.url.map(redaction.url)
        return details
    }

    /// The same event with the number of its run. One that names no request gets what is known of the last one.
    func completed(by request: Details, run: Int? = nil) -> Log {
        var log = self
        log.unmasked.run = run
        if unmasked.url == nil, [.failure, .completion, .cancellation].contains(kind) {
            log.unmasked.method = request.method
            log.unmasked.url = request.url
            log.unmasked.attempt = unmasked.attempt ?? request.attempt
            log.unmasked.status = unmasked.status ?? request.status
        }
        return log
    }

    /// The text, with secrets masked by the rules of the logger that recorded it (``Redaction/standard`` without a
    /// logger). Each call creates it again.
    public var message: String {
        makeMessage(redaction)
    }

    func masked(by redaction: Redaction) -> Log {
        var log = self
        log.redaction = redaction
        return log
    }
}

extension Log: MaskedValue {
    /// The level, the writer and the ``message``.
    public var description: String { "\(level) \(id): \(message)" }
}
