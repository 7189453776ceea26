internal import HttpMessages
internal import ResponseProcessing

/// Decides what follows the end of a connection of server-sent events: a pure state machine.
struct EventReconnection: Sendable {
    /// What follows.
    enum Step {
        /// The stream is complete.
        case end
        /// The stream fails.
        case fail(any Error)
        /// Another connection follows after a delay.
        case reconnect(after: Duration)
    }

    private static let backoff = Backoff(
        initialDelay: .seconds(1), multiplier: 2, maximumDelay: .seconds(30), jitter: 0.5)

    /// A connection that has lasted as long isn't fruitless: a proxy may close a feed without news each minute.
    private static let healthyAge = Duration.seconds(10)

    private let isRepeated: Bool
    /// Whether a server has accepted a connection.
    private var hasOpened = false
    /// Whether the connection that ends was opened.
    private var isOpen = false
    /// Whether the connection has brought an event.
    private var hasReceived = false
    /// How many connections in sequence, failed ones included, have brought none and were short.
    private var fruitless = 0

    /// - Parameter isRepeated: whether a connection that ends is followed by another one.
    init(isRepeated: Bool) {
        self.isRepeated = isRepeated
    }

    /// A server has accepted the connection.
    mutating func opened() {
        (hasOpened, isOpen) = (true, true)
    }

    /// An event has arrived.
    mutating func received() {
        hasReceived = true
    }

    /// The connection has ended, or could not be opened.
    ///
    /// - Parameters:
    ///   - error: why; nil where the body was complete.
    ///   - age: the time since the last connection was opened.
    ///   - delay: the last `retry` of the server.
    ///   - chance: a random number from 0 to 1.
    mutating func ended(_ error: (any Error)?, after age: Duration, delay: Duration?, chance: Double) -> Step {
        if let error, !isRepeated || !hasOpened || !error.isTransient { return .fail(error) }
        guard isRepeated else { return .end }
        fruitless = hasReceived || isOpen && age >= Self.healthyAge ? 0 : fruitless + 1
        (hasReceived, isOpen) = (false, false)
        let backoff = Self.backoff.delay(after: max(1, fruitless), chance: chance)
        guard let delay else { return .reconnect(after: backoff) }
        return .reconnect(after: fruitless == 0 ? delay : max(delay, backoff))
    }
}

extension Error {
    /// Whether another connection may help a feed that was open before: the network failed, and the time for all connections
    /// hasn't passed. A proxy that restarts refuses connections, and a server may reset a stream of HTTP/2.
    fileprivate var isTransient: Bool {
        guard let error = (self as? TechnicalError)?.cause ?? self as? TransportError else { return false }
        switch error.code {
        case .deadlinePassed: return false
        case .proxyFailed, .protocolViolation: return true
        default: return error.isRetryable
        }
    }
}
