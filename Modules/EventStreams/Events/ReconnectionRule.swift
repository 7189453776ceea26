/// When a stream of server-sent events opens another connection after one has ended.
public enum ReconnectionRule: Sendable {
    /// For a `GET`, as ``always``; for any other method, as ``never``.
    case automatic
    /// After each end, until the server responds with 204.
    case always
    /// Not at all: the stream ends with its connection.
    case never
}
